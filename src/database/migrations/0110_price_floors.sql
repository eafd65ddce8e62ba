-- The prices of a list that a parent gives to a sub-account are never below the parent's own. An RCS keeps the version of the
-- parent's list that it was accepted at: 0 for the built-in prices, null where there is no such bound.
alter table rcs_messages add column price_floor bigint;
