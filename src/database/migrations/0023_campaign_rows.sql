-- The row of a recipient is written three times: accepted, sent, delivered. The last two mostly write all rows of a page in
-- one transaction, so a page must hold their old and new versions side by side. At 50, a quarter of these updates moved to
-- another page and touched every index. The moved rows made the table as large as it is at 27.
alter table recipients set (fillfactor = 27);
