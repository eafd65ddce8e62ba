-- The people of a scheduled message to segments are found when it departs, days after the message was made. Their consents,
-- and the erasure of a number, are compared with that moment. It is null for a message whose people were given with it.

alter table messages add column departed_at timestamptz;
