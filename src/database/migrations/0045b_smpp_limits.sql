-- The throughput of SMPP credentials counts over all processes: they draw submits from one place. And an account that
-- submits parts without end must not fill the database: the parts that are no message yet are counted.

-- All submits up to this moment are drawn. Not before a second ago counts: no more than a second's worth is saved up.
alter table smpp_credentials
  add column drawn_until timestamptz not null default '-infinity';

create index smpp_parts_open on smpp_parts (account_id) where state <> 'joined';
