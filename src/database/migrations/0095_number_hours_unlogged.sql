-- A count of the hour need not outlive a crash of the database: without a write-ahead log, a row costs two thirds.
alter table number_hours set unlogged;
