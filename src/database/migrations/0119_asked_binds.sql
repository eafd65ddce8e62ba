-- Binds of a carrier are shared out evenly among processes: one that holds fewer asks for a bind of one that holds more.

alter table carrier_binds add column asked_by uuid;
