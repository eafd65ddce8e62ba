-- A part that comes again is answered as the first time. It may also be the beginning of another message under the same
-- reference, which shows when a part comes that differs: then this one is a part of both.

alter table smpp_parts add column is_repeated boolean not null default false;
