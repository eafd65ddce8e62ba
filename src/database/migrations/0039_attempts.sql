-- One table counts attempts within a time: failed log-ins, links that were asked for, emails that were found taken. It takes
-- the place of three tables of the same form. Its rows last an hour at most, so nothing is copied.

create unlogged table attempts (
  -- A hash of what is counted, such as an email or a network.
  subject text primary key,
  count integer not null,
  ends_at timestamptz not null
);

drop table login_failures, reset_requests, taken_email_answers;
