-- A page of results reads the counts of a year from one index that has all of them, and not the rows of the table.
create index message_figures_page on message_figures (account_id, scheduled_at)
  include (message_id, channel, has_link, recipients, sent, delivered, clicked, replied, opted_out);
drop index message_figures_due;
