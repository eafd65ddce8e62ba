-- The schema that the migrations add up to. Written by `npm run schema`; a test checks that it is current.
-- Read this first; why things are as they are stands in the migrations.

create sequence account_ids;

create sequence alarm_ids;

create sequence api_key_ids;

create sequence audit_entry_ids;

create sequence auto_reply_answers_id_seq;

create sequence auto_reply_ids;

create sequence automation_ids;

create sequence automation_runs_id_seq;

create sequence batch_ids;

create sequence callback_ids;

create sequence canned_reply_ids;

create sequence consent_ids;

create sequence consent_keyword_ids;

create sequence consent_request_ids;

create sequence contact_ids;

create sequence contact_list_ids;

create sequence credit_request_ids;

create sequence draft_ids;

create sequence event_ids;

create sequence invitation_ids;

create sequence message_ids;

create sequence notice_ids;

create sequence operator_stop_ids;

create sequence opt_out_ids;

create sequence passkey_ids;

create sequence password_reset_ids;

create sequence person_ids;

create sequence picture_ids;

create sequence price_list_ids;

create sequence price_version_ids;

create sequence rcs_conversation_ids;

create sequence receipt_ids;

create sequence reply_ids;

create sequence segment_ids;

create sequence sender_list_entries_id_seq;

create sequence senders_id_seq;

create sequence smpp_credential_ids;

create sequence smpp_delivery_ids;

create sequence stop_ids;

create sequence template_ids;

create sequence timeline_ids;

create sequence trial_ids;

create sequence webhook_delivery_ids;

create sequence webhook_ids;

create sequence webhook_secret_ids;

create function add_audit_month(month date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  name text := 'audit_entries_' || to_char(month, 'YYYY_MM');
  first_moment timestamptz := month::timestamp at time zone 'UTC';
  next_moment timestamptz := (month + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(name) is not null
    or exists (select from audit_entries_default where created_at >= first_moment and created_at < next_moment) then
    return;
  end if;
  perform add_audit_partition(name, format('for values from (%L) to (%L)', first_moment, next_moment));
end
$function$;

create function add_audit_partition(name text, bounds text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create table %I (like audit_entries including defaults including constraints)', name);
  execute format('alter table audit_entries attach partition %I %s', name, bounds);
  execute format(
    'create trigger audit_entries_stay_whole before truncate on %I for each statement execute function refuse_audit_change()',
    name
  );
  execute format('revoke update, delete, truncate on %I from current_user', name);
end
$function$;

create function add_figure_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (
    new.taken_count, new.delivered_count, new.read_count, new.failed_count, new.stopped_count, new.clicked_count,
    new.replied_count, new.opted_out_count, new.credits_required, new.credits_refunded
  ) is not distinct from (
    old.taken_count, old.delivered_count, old.read_count, old.failed_count, old.stopped_count, old.clicked_count,
    old.replied_count, old.opted_out_count, old.credits_required, old.credits_refunded
  ) then
    return null;
  end if;
  insert into figure_changes (
    account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits, opted_out,
    delivered_with_link
  )
  values (
    new.account_id,
    date_bin('15 minutes', new.scheduled_at, '2000-01-01 00:00Z'),
    new.channel,
    new.taken_count - old.taken_count,
    new.delivered_count + new.read_count - old.delivered_count - old.read_count,
    new.read_count - old.read_count,
    new.failed_count - old.failed_count,
    new.stopped_count - old.stopped_count,
    new.clicked_count - old.clicked_count,
    new.replied_count - old.replied_count,
    new.credits_required - new.credits_refunded - old.credits_required + old.credits_refunded,
    new.opted_out_count - old.opted_out_count,
    case
      when new.shorturl_mode is null then 0
      else new.delivered_count + new.read_count - old.delivered_count - old.read_count
    end
  );
  -- The caller has locked the message, so that nobody else changes these counts.
  if new.recipients_count > 1 then
    update message_figures
    set sent = new.taken_count,
        delivered = new.delivered_count + new.read_count,
        clicked = new.clicked_count,
        replied = new.replied_count,
        opted_out = new.opted_out_count,
        changes = changes + 1,
        -- The older a message is, the longer it waits: to count hundreds of thousands of recipients takes seconds.
        count_at = coalesce(count_at, now() + (now() - scheduled_at) / 4)
    where account_id = new.account_id
      and message_id = new.id;
  end if;
  return null;
end
$function$;

create function add_id_partition(of_table text, partition text, storage text, bounds text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create table %I (like %I including defaults including constraints) %s', partition, of_table, storage);
  execute format('alter table %I attach partition %I %s', of_table, partition, bounds);
end
$function$;

create function add_id_range(of_kind text, from_id bigint, to_id bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into id_ranges (kind, first_id, end_id) values (of_kind, from_id, to_id);
  select add_id_partition(name, name || '_' || from_id, storage, format('for values from (%s) to (%s)', from_id, to_id))
  from id_range_tables(of_kind);
$function$;

create function close_first_range(of_kind text, at_id bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  one record;
begin
  for one in select * from id_range_tables(of_kind) loop
    execute format('alter table %I detach partition %I', one.name, one.name || '_default');
    execute format('alter table %I rename to %I', one.name || '_default', one.name || '_before');
    execute format(
      'alter table %I attach partition %I for values from (minvalue) to (%s)', one.name, one.name || '_before', at_id
    );
    execute format('alter table %I drop constraint %I', one.name || '_before', one.name || '_below');
    perform add_id_partition(one.name, one.name || '_default', one.storage, 'default');
  end loop;
  update id_ranges set made_at = now() where kind = of_kind and made_at is null;
  perform add_id_range(of_kind, first_id, first_id + 20000) from unnest(array[at_id, at_id + 20000]) as first_id;
end
$function$;

create function id_range_tables(of_kind text)
 RETURNS TABLE(name text, id_column text, storage text)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select given.name, given.id_column, given.storage
  from (
    values
      ('messages', 'recipients', 'message_id', 'with (fillfactor = 27)'),
      ('messages', 'timeline_steps', 'message_id', ''),
      ('events', 'events', 'id', '')
  ) as given (kind, name, id_column, storage)
  where kind = of_kind
$function$;

create function is_sound_entry(reason text, available bigint, reserved bigint, spent bigint, elsewhere bigint, available_after bigint, "position" bigint, reference text, part text, spender_id bigint, transfer_id uuid, counterparty_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return available + reserved + spent + elsewhere = 0
    and available_after >= 0
    and "position" > 0
    and (transfer_id is null) = (counterparty_id is null)
    and case reason
      when 'opening' then available > 0 and elsewhere = -available and transfer_id is null
      when 'issue' then available > 0 and elsewhere = -available and transfer_id is null
      when 'withdrawal' then available < 0 and elsewhere = -available and transfer_id is null
      when 'transfer' then available <> 0 and elsewhere = -available and transfer_id is not null
      when 'reserve' then available < 0 and reserved = -available and reference is not null and spender_id is not null
      when 'refund' then available > 0 and reserved <= 0 and spent <= 0 and reserved + spent = -available
        and reference is not null and part is not null and spender_id is not null
      when 'settle' then available = 0 and reserved < 0 and spent = -reserved and reference is not null
        and spender_id is not null
      else false
    end;
end
$function$;

create function refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Entries of the audit trail are never changed.' using errcode = 'insufficient_privilege';
end
$function$;

create function refuse_statement_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a statement is never changed' using errcode = 'insufficient_privilege';
end
$function$;

create table account_limits (
  account_id bigint not null,
  requests_per_second integer,
  credits_per_day bigint,
  messages_per_number integer,
  countries text[],
  sub_accounts integer,
  people integer,
  keys integer,
  webhooks integer,
  constraint account_limits_pkey PRIMARY KEY (account_id),
  constraint account_limits_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_limits_countries_check CHECK (countries <> '{}'::text[]),
  constraint account_limits_credits_per_day_check CHECK (credits_per_day >= 0),
  constraint account_limits_keys_check CHECK (keys > 0),
  constraint account_limits_messages_per_number_check CHECK (messages_per_number > 0),
  constraint account_limits_people_check CHECK (people > 0),
  constraint account_limits_requests_per_second_check CHECK (requests_per_second > 0),
  constraint account_limits_sub_accounts_check CHECK (sub_accounts >= 0),
  constraint account_limits_webhooks_check CHECK (webhooks >= 0)
);

create table account_price_lists (
  account_id bigint not null,
  list_id bigint not null,
  set_by bigint not null,
  set_at timestamp with time zone not null default now(),
  constraint account_price_lists_pkey PRIMARY KEY (account_id),
  constraint account_price_lists_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_price_lists_list_id_fkey FOREIGN KEY (list_id) REFERENCES price_lists(id),
  constraint account_price_lists_set_by_fkey FOREIGN KEY (set_by) REFERENCES accounts(id)
);
create INDEX account_price_lists_list ON account_price_lists USING btree (list_id);

create table accounts (
  id bigint not null,
  parent_id bigint,
  is_operator boolean not null default false,
  social_reason text not null default ''::text,
  credits_mode text not null default 'self'::text,
  app_id text not null,
  time_zone text not null default 'Europe/Paris'::text,
  country text not null default 'FR'::text,
  in_doubt text not null default 'resend'::text,
  hours_end time without time zone not null default '20:00:00'::time without time zone,
  typography boolean not null default true,
  created_at timestamp with time zone not null default now(),
  last_login_at timestamp with time zone,
  default_sender text,
  calendar text not null default 'national'::text,
  sundays_and_holidays boolean not null default false,
  holder_id bigint not null,
  standing text not null default 'open'::text,
  standing_reason text not null default ''::text,
  standing_since timestamp with time zone,
  note text not null default ''::text,
  requires_second_factor boolean not null default false,
  standing_by bigint,
  is_closing boolean not null default false,
  balance_alert_sms integer not null default 0,
  balance_alert_rcs integer not null default 0,
  consent text not null default 'off'::text,
  marketing_cap integer not null default 0,
  marketing_cap_days integer not null default 7,
  constraint accounts_app_id_unique UNIQUE (app_id),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_holder_id_fkey FOREIGN KEY (holder_id) REFERENCES people(id),
  constraint accounts_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES accounts(id),
  constraint accounts_standing_by_fkey FOREIGN KEY (standing_by) REFERENCES accounts(id),
  constraint accounts_balance_alert_rcs_check CHECK (balance_alert_rcs >= 0),
  constraint accounts_balance_alert_sms_check CHECK (balance_alert_sms >= 0),
  constraint accounts_calendar_check CHECK (calendar = ANY (ARRAY['national'::text, 'alsace-moselle'::text])),
  constraint accounts_check CHECK (parent_id IS NOT NULL OR credits_mode = 'self'::text),
  constraint accounts_check1 CHECK (parent_id IS NULL OR NOT is_operator),
  constraint accounts_consent_check CHECK (consent = ANY (ARRAY['off'::text, 'warn'::text, 'enforce'::text])),
  constraint accounts_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  constraint accounts_credits_mode_check CHECK (credits_mode = ANY (ARRAY['self'::text, 'parent'::text])),
  constraint accounts_hours_end_check CHECK (hours_end > '08:00:00'::time without time zone AND hours_end <= '21:30:00'::time without time zone),
  constraint accounts_in_doubt_check CHECK (in_doubt = ANY (ARRAY['resend'::text, 'fail'::text])),
  constraint accounts_marketing_cap_check CHECK (marketing_cap >= 0 AND marketing_cap <= 1000),
  constraint accounts_marketing_cap_days_check CHECK (marketing_cap_days >= 1 AND marketing_cap_days <= 365),
  constraint accounts_standing_check CHECK (standing = ANY (ARRAY['open'::text, 'suspended'::text, 'closed'::text]))
);
create INDEX accounts_balance_alerts ON accounts USING btree (id) WHERE ((balance_alert_sms > 0) OR (balance_alert_rcs > 0));
create INDEX accounts_closed ON accounts USING btree (standing_since) WHERE (standing = 'closed'::text);
create UNIQUE INDEX accounts_operator_unique ON accounts USING btree (is_operator) WHERE is_operator;
create INDEX accounts_parent ON accounts USING btree (parent_id, id);
create INDEX accounts_suspended ON accounts USING btree (id) WHERE ((standing = 'suspended'::text) OR is_closing);

create table agent_grants (
  agent_id text not null,
  account_id bigint not null,
  passed_by bigint,
  created_at timestamp with time zone not null default now(),
  constraint agent_grants_pkey PRIMARY KEY (agent_id, account_id),
  constraint agent_grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint agent_grants_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id),
  constraint agent_grants_passed_by_fkey FOREIGN KEY (passed_by) REFERENCES accounts(id)
);
create INDEX agent_grants_account ON agent_grants USING btree (account_id);

create table agents (
  agent_id text not null,
  is_restricted boolean not null default false,
  display_name text,
  logo_url text,
  launches jsonb not null default '[]'::jsonb,
  looked_at timestamp with time zone,
  problem text,
  constraint agents_pkey PRIMARY KEY (agent_id)
);

create table alarms (
  account_id bigint not null,
  id bigint not null,
  kind text not null,
  subject text not null,
  name text not null,
  value double precision,
  bound double precision,
  since timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  raised_at timestamp with time zone,
  over_at timestamp with time zone,
  constraint alarms_pkey PRIMARY KEY (account_id, id),
  constraint alarms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
create UNIQUE INDEX alarms_now ON alarms USING btree (account_id, kind, subject) WHERE (over_at IS NULL);
create INDEX alarms_over ON alarms USING btree (over_at) WHERE (over_at IS NOT NULL);
create INDEX alarms_raised ON alarms USING btree (account_id, raised_at) WHERE (raised_at IS NOT NULL);

create table alert_turns (
  name text not null,
  next_at timestamp with time zone not null default now(),
  constraint alert_turns_pkey PRIMARY KEY (name)
);

create table alerts (
  account_id bigint not null,
  subject text not null,
  level integer not null,
  raised_at timestamp with time zone not null default now(),
  constraint alerts_pkey PRIMARY KEY (account_id, subject, level),
  constraint alerts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table api_keys (
  id bigint not null,
  account_id bigint not null,
  name text not null,
  key_hash bytea not null,
  is_first boolean not null default false,
  scopes text[] not null,
  addresses text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  replaced_by bigint,
  credits_per_day integer,
  constraint api_keys_hash_unique UNIQUE (key_hash),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint api_keys_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint api_keys_credits_per_day_check CHECK (credits_per_day > 0),
  constraint api_keys_scopes_check CHECK (scopes <@ ARRAY['read'::text, 'send'::text, 'contacts'::text, 'webhooks'::text, 'account'::text, 'people'::text, 'binary'::text, 'send_confirmed'::text])
);
create INDEX api_keys_account ON api_keys USING btree (account_id, id);
create UNIQUE INDEX api_keys_first_unique ON api_keys USING btree (account_id) WHERE is_first;
create INDEX api_keys_replaced_by ON api_keys USING btree (replaced_by) WHERE (replaced_by IS NOT NULL);

create unlogged table attempts (
  subject text not null,
  count integer not null,
  ends_at timestamp with time zone not null,
  constraint attempts_pkey PRIMARY KEY (subject)
);

create table audit_entries (
  id bigint not null default nextval('audit_entry_ids'::regclass),
  created_at timestamp with time zone not null default now(),
  account_id bigint not null,
  on_account_id bigint not null,
  person_id bigint,
  key_id bigint,
  viewed_from bigint,
  address text not null,
  operation text not null,
  object_kind text,
  object_id text,
  changes json,
  is_refused boolean not null default false,
  is_send boolean not null default false
)
partition by RANGE (created_at);
create INDEX audit_entries_account ON ONLY audit_entries USING btree (account_id, id);
create INDEX audit_entries_acts ON ONLY audit_entries USING btree (account_id, id) WHERE (NOT is_send);
create INDEX audit_entries_all_acts ON ONLY audit_entries USING btree (id) WHERE (NOT is_send);
create INDEX audit_entries_on_account ON ONLY audit_entries USING btree (on_account_id, id) WHERE (on_account_id <> account_id);
create TRIGGER audit_entries_stay BEFORE DELETE OR UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
create TRIGGER audit_entries_stay_whole BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

create table auto_replies (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  keywords text[] not null,
  number text,
  content text not null,
  sender text,
  pause_seconds integer not null,
  is_on boolean not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint auto_replies_pkey PRIMARY KEY (account_id, id),
  constraint auto_replies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table auto_reply_answers (
  account_id bigint not null,
  auto_reply_id bigint not null,
  id bigint not null,
  reply_id bigint not null,
  phone text not null,
  written_to text not null,
  due_at timestamp with time zone default now(),
  answered_at timestamp with time zone not null default now(),
  message_id bigint,
  problem text,
  constraint auto_reply_answers_account_id_reply_id_key UNIQUE (account_id, reply_id),
  constraint auto_reply_answers_pkey PRIMARY KEY (account_id, auto_reply_id, id),
  constraint auto_reply_answers_check CHECK ( CASE WHEN due_at IS NULL THEN (message_id IS NULL) <> (problem IS NULL) ELSE message_id IS NULL AND problem IS NULL END)
);
create INDEX auto_reply_answers_answered ON auto_reply_answers USING btree (answered_at);
create INDEX auto_reply_answers_due ON auto_reply_answers USING btree (due_at) WHERE (due_at IS NOT NULL);
create INDEX auto_reply_answers_phone ON auto_reply_answers USING btree (account_id, phone);

create table automation_people (
  account_id bigint not null,
  automation_id bigint not null,
  phone text not null,
  constraint automation_people_pkey PRIMARY KEY (account_id, automation_id, phone)
);

create table automation_runs (
  account_id bigint not null,
  automation_id bigint not null,
  id bigint not null,
  due_at timestamp with time zone not null,
  ran_at timestamp with time zone not null default now(),
  message_id bigint,
  problem text,
  constraint automation_runs_pkey PRIMARY KEY (account_id, automation_id, id),
  constraint automation_runs_check CHECK ((message_id IS NULL) <> (problem IS NULL))
);
create INDEX automation_runs_ran ON automation_runs USING btree (ran_at);

create table automations (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  schedule text not null,
  is_once boolean not null,
  contactlist bigint[] not null,
  segment_ids bigint[] not null,
  request jsonb not null,
  next_at timestamp with time zone,
  last_run_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint automations_pkey PRIMARY KEY (account_id, id)
);
create INDEX automations_due ON automations USING btree (next_at) WHERE (next_at IS NOT NULL);

create table batches (
  account_id bigint not null,
  message_id bigint not null,
  id bigint not null,
  lane smallint not null,
  due_at timestamp with time zone not null,
  positions integer[] not null,
  leased_by uuid,
  leased_until timestamp with time zone,
  route text not null,
  expires_at timestamp with time zone not null,
  submitting integer[] not null default '{}'::integer[],
  carrier text,
  is_ready boolean not null default false,
  attempts smallint not null default 0,
  head_start_seconds integer,
  is_paused boolean not null default false,
  constraint batches_pkey PRIMARY KEY (account_id, message_id, id),
  constraint batches_paused_are_not_ready CHECK (NOT (is_ready AND is_paused))
)
with (fillfactor=70, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_vacuum_cost_delay=0);
create INDEX batches_future ON batches USING btree (due_at) WHERE ((NOT is_ready) AND (NOT is_paused));
create INDEX batches_ready ON batches USING btree (route, lane, account_id, due_at, id) WHERE is_ready;

create table callback_queue (
  account_id bigint not null,
  id bigint not null default nextval('callback_ids'::regclass),
  message_id bigint not null,
  position integer not null,
  report smallint not null,
  state smallint not null,
  reported_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  due_at timestamp with time zone not null default now(),
  constraint callback_queue_pkey PRIMARY KEY (account_id, id)
)
with (fillfactor=50);
create INDEX callback_queue_due ON callback_queue USING btree (account_id, due_at);
create INDEX callback_queue_recipient ON callback_queue USING btree (account_id, message_id, "position", id);

create table canned_replies (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  content text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint canned_replies_pkey PRIMARY KEY (account_id, id),
  constraint canned_replies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create unlogged table captured_pdus (
  carrier text not null,
  slot integer not null,
  owner uuid not null,
  pdus jsonb not null,
  constraint captured_pdus_pkey PRIMARY KEY (carrier, slot, owner)
);

create table carrier_binds (
  carrier text not null,
  slot smallint not null,
  token bigint not null,
  owner uuid,
  leased_until timestamp with time zone not null,
  status jsonb,
  asked_by uuid,
  constraint carrier_binds_pkey PRIMARY KEY (carrier, slot)
);

create table carrier_captures (
  carrier text not null,
  began_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone not null,
  constraint carrier_captures_pkey PRIMARY KEY (carrier)
);

create table carrier_costs (
  valid_from timestamp with time zone not null default now(),
  carrier text not null,
  channel text not null,
  prefix text not null,
  currency text not null,
  amount bigint not null,
  constraint carrier_costs_pkey PRIMARY KEY (valid_from, carrier, channel, prefix),
  constraint carrier_costs_amount_check CHECK (amount >= 0),
  constraint carrier_costs_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'rcs'::text])),
  constraint carrier_costs_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint carrier_costs_prefix_check CHECK (prefix ~ '^([1-9][0-9]{0,11})?$'::text)
);

create table carrier_errors (
  span text not null,
  begins_at timestamp with time zone not null,
  carrier text not null,
  country text not null,
  error text not null,
  recipients bigint not null,
  constraint carrier_errors_pkey PRIMARY KEY (span, begins_at, carrier, country, error),
  constraint carrier_errors_span_check CHECK (span = ANY (ARRAY['five'::text, 'hour'::text, 'day'::text]))
);

create table carrier_figures (
  span text not null,
  begins_at timestamp with time zone not null,
  carrier text not null,
  country text not null,
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  retried bigint not null default 0,
  unanswered bigint not null default 0,
  answer_seconds double precision not null default 0,
  delivered bigint not null default 0,
  undelivered bigint not null default 0,
  receipt_seconds double precision not null default 0,
  constraint carrier_figures_pkey PRIMARY KEY (span, begins_at, carrier, country),
  constraint carrier_figures_span_check CHECK (span = ANY (ARRAY['five'::text, 'hour'::text, 'day'::text]))
);

create table carrier_pauses (
  carrier text not null,
  mode text not null,
  since timestamp with time zone not null default now(),
  constraint carrier_pauses_pkey PRIMARY KEY (carrier),
  constraint carrier_pauses_mode_check CHECK (mode = ANY (ARRAY['paused'::text, 'draining'::text]))
);

create table carrier_polls (
  carrier text not null,
  news text not null,
  cursor text not null,
  token bigint not null default 0,
  next_at timestamp with time zone not null default now(),
  constraint carrier_polls_pkey PRIMARY KEY (carrier, news)
);

create table carrier_states (
  carrier text not null,
  id_form text,
  tokens double precision not null default 0,
  refilled_at timestamp with time zone not null default now(),
  message_id_key text,
  constraint carrier_states_pkey PRIMARY KEY (carrier),
  constraint carrier_states_id_form_check CHECK (id_form = ANY (ARRAY['as-is'::text, 'hex'::text, 'dec'::text]))
)
with (fillfactor=50);

create unlogged table carrier_statuses (
  carrier text not null,
  owner uuid not null,
  status jsonb not null,
  told_at timestamp with time zone not null default now(),
  constraint carrier_statuses_pkey PRIMARY KEY (carrier, owner)
)
with (fillfactor=50);

create table confirmations (
  account_id bigint not null,
  token_hash bytea not null,
  key_id bigint not null,
  request_hash bytea not null,
  outcome_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  credits bigint,
  constraint confirmations_pkey PRIMARY KEY (account_id, token_hash),
  constraint confirmations_used_have_credits CHECK ((used_at IS NULL) = (credits IS NULL))
);
create INDEX confirmations_expires_at ON confirmations USING btree (expires_at);
create INDEX confirmations_used ON confirmations USING btree (account_id, key_id, used_at) WHERE (used_at IS NOT NULL);

create table consent_keywords (
  account_id bigint not null,
  id bigint not null,
  number text not null,
  keyword text not null,
  question text not null,
  confirmation text not null,
  created_at timestamp with time zone not null default now(),
  constraint consent_keywords_pkey PRIMARY KEY (account_id, id),
  constraint consent_keywords_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
create UNIQUE INDEX consent_keywords_word ON consent_keywords USING btree (number, keyword);

create table consent_requests (
  account_id bigint not null,
  id bigint not null,
  keyword_id bigint not null,
  phone text not null,
  number text not null,
  step text not null,
  reply_id bigint not null,
  question_id bigint,
  created_at timestamp with time zone not null default now(),
  constraint consent_requests_pkey PRIMARY KEY (account_id, id),
  constraint consent_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint consent_requests_step_check CHECK (step = ANY (ARRAY['ask'::text, 'asked'::text, 'thank'::text, 'over'::text]))
);
create INDEX consent_requests_created ON consent_requests USING btree (created_at);
create INDEX consent_requests_due ON consent_requests USING btree (created_at) WHERE (step = ANY (ARRAY['ask'::text, 'thank'::text]));
create INDEX consent_requests_open ON consent_requests USING btree (phone, number) WHERE (step = ANY (ARRAY['ask'::text, 'asked'::text]));

create table consents (
  account_id bigint not null,
  id bigint not null,
  phone text,
  phone_hash bytea,
  purpose text not null,
  channel text not null,
  source text not null,
  given_at timestamp with time zone not null,
  wording text not null,
  proof text not null,
  withdrawn_at timestamp with time zone,
  withdrawal text,
  created_at timestamp with time zone not null default now(),
  constraint consents_pkey PRIMARY KEY (account_id, id),
  constraint consents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint consents_channel_check CHECK (channel = ANY (ARRAY['all'::text, 'sms'::text, 'rcs'::text])),
  constraint consents_check CHECK ((phone IS NULL) <> (phone_hash IS NULL)),
  constraint consents_check1 CHECK ((withdrawn_at IS NULL) = (withdrawal IS NULL)),
  constraint consents_source_check CHECK (source = ANY (ARRAY['form'::text, 'shop'::text, 'import'::text, 'keyword'::text, 'api'::text]))
);
create UNIQUE INDEX consents_held ON consents USING btree (account_id, phone, purpose, channel) WHERE (withdrawn_at IS NULL);
create INDEX consents_phone ON consents USING btree (account_id, phone);
create INDEX consents_phone_hash ON consents USING btree (account_id, phone_hash) WHERE (phone_hash IS NOT NULL);

create table contact_lists (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  contacts_count bigint not null default 0,
  rcs_capability text not null default 'unknown'::text,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  rcs_checked_to bigint not null default 0,
  rcs_due_at timestamp with time zone not null default now(),
  rcs_leased_by uuid,
  rcs_tries smallint not null default 0,
  constraint contact_lists_pkey PRIMARY KEY (account_id, id),
  constraint contact_lists_contacts_count_check CHECK (contacts_count >= 0),
  constraint contact_lists_rcs_capability_check CHECK (rcs_capability = ANY (ARRAY['unknown'::text, 'checking'::text, 'ready'::text]))
);
create INDEX contact_lists_deleted ON contact_lists USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
create INDEX contact_lists_unchecked ON contact_lists USING btree (rcs_due_at) WHERE ((rcs_capability <> 'ready'::text) AND (deleted_at IS NULL));

create table contact_segments (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  rules jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint contact_segments_pkey PRIMARY KEY (account_id, id),
  constraint contact_segments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table contacts (
  account_id bigint not null,
  id bigint not null,
  list_id bigint not null,
  phone text not null,
  last_name text,
  first_name text,
  email text,
  address text,
  postal_code text,
  date text,
  city text,
  custom1 text,
  custom2 text,
  custom3 text,
  custom4 text,
  custom5 text,
  custom6 text,
  custom7 text,
  custom8 text,
  custom9 text,
  custom10 text,
  constraint contacts_phone_unique UNIQUE (account_id, list_id, phone),
  constraint contacts_pkey PRIMARY KEY (account_id, id),
  constraint contacts_phone_check CHECK (phone ~ '^\+[1-9][0-9]{5,14}$'::text)
);
create INDEX contacts_of_list ON contacts USING btree (account_id, list_id, id);

create table conversation_charges (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  conversation_id bigint not null,
  charged smallint not null,
  refunded smallint not null,
  created_at timestamp with time zone not null default now(),
  constraint conversation_charges_pkey PRIMARY KEY (account_id, message_id, "position"),
  constraint conversation_charges_charged_check CHECK (charged >= 0),
  constraint conversation_charges_refunded_check CHECK (refunded >= 0)
);
create INDEX conversation_charges_conversation ON conversation_charges USING btree (account_id, conversation_id);

create table conversation_states (
  account_id bigint not null,
  phone text not null,
  read_id bigint not null default 0,
  closed_id bigint,
  assigned_to bigint,
  updated_at timestamp with time zone not null default now(),
  constraint conversation_states_pkey PRIMARY KEY (account_id, phone),
  constraint conversation_states_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table cost_figures (
  account_id bigint not null,
  day date not null,
  message_type smallint not null,
  country text not null,
  currency text not null,
  units bigint not null,
  amount numeric(30,0) not null,
  constraint cost_figures_pkey PRIMARY KEY (account_id, day, message_type, country, currency)
);

create table credit_balances (
  account_id bigint not null,
  message_type smallint not null,
  available bigint not null default 0,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  entry_count bigint not null default 0,
  constraint credit_balances_pkey PRIMARY KEY (account_id, message_type),
  constraint credit_balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint credit_balances_message_type_fkey FOREIGN KEY (message_type) REFERENCES message_types(id),
  constraint credit_balances_available_not_negative CHECK (available >= 0),
  constraint credit_balances_reserved_check CHECK (reserved >= 0),
  constraint credit_balances_spent_check CHECK (spent >= 0)
)
with (fillfactor=50);

create table credit_days (
  account_id bigint not null,
  day date not null,
  used bigint not null,
  allowed bigint not null,
  constraint credit_days_pkey PRIMARY KEY (account_id, day),
  constraint credit_days_within CHECK (used <= allowed)
);

create table credit_entries (
  account_id bigint not null,
  message_type smallint not null,
  position bigint not null,
  reason text not null,
  reference text,
  part text,
  available bigint not null default 0,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  elsewhere bigint not null default 0,
  available_after bigint not null,
  transfer_id uuid,
  counterparty_id bigint,
  spender_id bigint,
  created_at timestamp with time zone not null default now(),
  note text,
  made_by text,
  countries jsonb,
  constraint credit_entries_pkey PRIMARY KEY (account_id, message_type, "position"),
  constraint credit_entries_counterparty_id_fkey FOREIGN KEY (counterparty_id) REFERENCES accounts(id),
  constraint credit_entries_sound CHECK ( CASE reason WHEN 'spend'::text THEN available < 0 AND spent = (- available) AND reserved = 0 AND elsewhere = 0 AND available_after >= 0 AND "position" > 0 AND reference IS NOT NULL AND spender_id IS NOT NULL AND transfer_id IS NULL AND counterparty_id IS NULL ELSE is_sound_entry(reason, available, reserved, spent, elsewhere, available_after, "position", reference, part, spender_id, transfer_id, counterparty_id) END) NOT VALID
);
create UNIQUE INDEX credit_entries_refund_unique ON credit_entries USING btree (account_id, message_type, spender_id, reference, part) WHERE (reason = 'refund'::text);

create table credit_figure_days (
  account_id bigint not null,
  message_type smallint not null,
  day date not null,
  first_position bigint not null,
  last_position bigint not null,
  constraint credit_figure_days_pkey PRIMARY KEY (account_id, message_type, day)
);

create table credit_figure_progress (
  account_id bigint not null,
  message_type smallint not null,
  position bigint not null default 0,
  constraint credit_figure_progress_pkey PRIMARY KEY (account_id, message_type)
);

create table credit_figures (
  account_id bigint not null,
  message_type smallint not null,
  day date not null,
  other_id bigint not null,
  country text not null,
  sender text not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  constraint credit_figures_pkey PRIMARY KEY (account_id, message_type, day, other_id, country, sender)
);

create table credit_money (
  account_id bigint not null,
  message_type smallint not null,
  valid_from timestamp with time zone not null default now(),
  currency text not null,
  amount bigint not null,
  constraint credit_money_pkey PRIMARY KEY (account_id, message_type, valid_from),
  constraint credit_money_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint credit_money_amount_check CHECK (amount >= 0),
  constraint credit_money_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text)
);

create table credit_requests (
  account_id bigint not null,
  id bigint not null,
  asked_id bigint not null,
  message_type smallint not null,
  amount bigint not null,
  note text not null,
  state text not null default 'waiting'::text,
  answer text not null default ''::text,
  asked_by text,
  created_at timestamp with time zone not null default now(),
  answered_at timestamp with time zone,
  constraint credit_requests_pkey PRIMARY KEY (account_id, id),
  constraint credit_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint credit_requests_asked_id_fkey FOREIGN KEY (asked_id) REFERENCES accounts(id),
  constraint credit_requests_message_type_fkey FOREIGN KEY (message_type) REFERENCES message_types(id),
  constraint credit_requests_amount_check CHECK (amount > 0),
  constraint credit_requests_check CHECK ((state = 'waiting'::text) = (answered_at IS NULL)),
  constraint credit_requests_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'given'::text, 'declined'::text, 'withdrawn'::text]))
);
create INDEX credit_requests_answered ON credit_requests USING btree (answered_at) WHERE (answered_at IS NOT NULL);
create INDEX credit_requests_asked ON credit_requests USING btree (asked_id, id);

create table credit_reservations (
  account_id bigint not null,
  message_type smallint not null,
  reference text not null,
  payer_id bigint not null,
  amount bigint not null,
  refunded bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  sender text,
  country text,
  countries jsonb,
  constraint credit_reservations_pkey PRIMARY KEY (account_id, message_type, reference),
  constraint credit_reservations_amount_check CHECK (amount > 0),
  constraint credit_reservations_check CHECK (refunded >= 0 AND refunded <= amount)
);

create table deadlines (
  account_id bigint not null,
  message_id bigint not null,
  deadline timestamp with time zone not null,
  next_at timestamp with time zone not null default now(),
  constraint deadlines_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX deadlines_next ON deadlines USING btree (next_at);

create table departures (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamp with time zone not null,
  segment_ids bigint[] not null,
  request jsonb not null,
  problem text,
  is_paused boolean not null default false,
  constraint departures_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX departures_due ON departures USING btree (due_at) WHERE (problem IS NULL);

create table doubts (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  carrier text not null,
  route text not null,
  lane smallint not null,
  expires_at timestamp with time zone not null,
  submitted_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint doubts_pkey PRIMARY KEY (account_id, message_id, "position")
);
create INDEX doubts_due ON doubts USING btree (due_at);

create table drafts (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  channel text not null,
  fields jsonb not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint drafts_pkey PRIMARY KEY (account_id, id),
  constraint drafts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint drafts_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'rcs'::text]))
);
create INDEX drafts_updated ON drafts USING btree (updated_at);

create table erased_stops (
  account_id bigint not null,
  phone_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint erased_stops_pkey PRIMARY KEY (account_id, phone_hash),
  constraint erased_stops_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table erasure_keys (
  account_id bigint not null,
  key bytea not null,
  constraint erasure_keys_pkey PRIMARY KEY (account_id),
  constraint erasure_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint erasure_keys_key_check CHECK (length(key) = 32)
);

create table event_subscriptions (
  account_id bigint not null,
  type text not null,
  reason text not null,
  constraint event_subscriptions_pkey PRIMARY KEY (account_id, type, reason),
  constraint event_subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint event_subscriptions_reason_check CHECK (reason = ANY (ARRAY['webhook'::text, 'feed'::text, 'door'::text]))
);

create table events (
  account_id bigint not null,
  id bigint not null,
  type text not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  record jsonb not null,
  created_at timestamp with time zone not null default now(),
  trace text,
  constraint events_pkey PRIMARY KEY (account_id, transaction_id, id)
)
partition by RANGE (id);
create INDEX events_id ON ONLY events USING btree (account_id, id);
create INDEX events_subject ON ONLY events USING btree (account_id, COALESCE(NULLIF((record ->> 'recipient'::text), ''::text), (record ->> 'message_id'::text)));

create table expiries (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamp with time zone not null,
  constraint expiries_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX expiries_due ON expiries USING btree (due_at);

create table external_ids (
  account_id bigint not null,
  external_id text not null,
  message_id bigint not null,
  constraint external_ids_pkey PRIMARY KEY (account_id, external_id)
);

create table figure_changes (
  account_id bigint not null,
  quarter_at timestamp with time zone not null,
  channel text not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  stopped bigint not null,
  clicked bigint not null,
  replied bigint not null,
  credits bigint not null,
  opted_out bigint not null default 0,
  delivered_with_link bigint not null default 0
);
create INDEX figure_changes_account ON figure_changes USING btree (account_id, quarter_at);

create table figure_progress (
  account_id bigint not null,
  folded_to timestamp with time zone not null,
  constraint figure_progress_pkey PRIMARY KEY (account_id)
);

create table figures (
  account_id bigint not null,
  quarter_at timestamp with time zone not null,
  channel text not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  stopped bigint not null,
  clicked bigint not null,
  replied bigint not null,
  credits bigint not null,
  opted_out bigint not null default 0,
  delivered_with_link bigint not null default 0,
  constraint figures_pkey PRIMARY KEY (account_id, quarter_at, channel),
  constraint figures_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'rcs'::text]))
);

create table group_figures (
  account_id bigint not null,
  span text not null,
  begins_at timestamp with time zone not null,
  channel text not null,
  by text not null,
  value text not null,
  recipients bigint not null,
  sent bigint not null,
  delivered bigint not null,
  failed bigint not null,
  clicked bigint not null,
  constraint group_figures_pkey PRIMARY KEY (account_id, span, begins_at, channel, by, value),
  constraint group_figures_by_check CHECK (by = ANY (ARRAY['country'::text, 'carrier'::text, 'error'::text, 'link'::text])),
  constraint group_figures_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'rcs'::text])),
  constraint group_figures_span_check CHECK (span = ANY (ARRAY['quarter'::text, 'day'::text]))
);

create table id_ranges (
  kind text not null,
  first_id bigint not null,
  end_id bigint not null,
  made_at timestamp with time zone default now(),
  opened_at timestamp with time zone,
  closed_at timestamp with time zone,
  settled_at timestamp with time zone,
  left_count integer,
  is_released boolean not null default false,
  is_queued boolean not null default false,
  constraint id_ranges_pkey PRIMARY KEY (kind, first_id),
  constraint id_ranges_check CHECK (first_id < end_id),
  constraint id_ranges_kind_check CHECK (kind = ANY (ARRAY['messages'::text, 'events'::text]))
);

create table idempotent_answers (
  account_id bigint not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  answer bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotent_answers_pkey PRIMARY KEY (account_id, key_hash)
);
create INDEX idempotent_answers_age ON idempotent_answers USING btree (created_at);

create table identities (
  issuer text not null,
  subject text not null,
  person_id bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint identities_pkey PRIMARY KEY (issuer, subject),
  constraint identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
create INDEX identities_person ON identities USING btree (person_id);

create table inbound_ids (
  carrier text not null,
  id_hash bytea not null,
  received_at timestamp with time zone not null default now(),
  constraint inbound_ids_pkey PRIMARY KEY (carrier, id_hash)
);
create INDEX inbound_ids_received_at ON inbound_ids USING btree (received_at);

create table invitations (
  id bigint not null,
  account_id bigint not null,
  email text not null,
  role text not null,
  invited_by bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  withdrawn_at timestamp with time zone,
  token_hashes bytea[] not null default '{}'::bytea[],
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(id),
  constraint invitations_role_check CHECK (role = ANY (ARRAY['owner'::text, 'manager'::text, 'sender'::text, 'reader'::text]))
);
create INDEX invitations_account ON invitations USING btree (account_id, id);
create INDEX invitations_expires ON invitations USING btree (expires_at);
create INDEX invitations_tokens ON invitations USING gin (token_hashes);

create table link_visitors (
  account_id bigint not null,
  message_id bigint not null,
  visitor bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint link_visitors_pkey PRIMARY KEY (account_id, message_id, visitor)
);
create INDEX link_visitors_created ON link_visitors USING btree (created_at);

create table look_hosts (
  host text not null,
  account_id bigint not null,
  kind text not null,
  constraint look_hosts_account_id_kind_key UNIQUE (account_id, kind),
  constraint look_hosts_pkey PRIMARY KEY (host),
  constraint look_hosts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint look_hosts_host_check CHECK (host = lower(host)),
  constraint look_hosts_kind_check CHECK (kind = ANY (ARRAY['console'::text, 'links'::text]))
);

create table looks (
  account_id bigint not null,
  name text not null,
  colour text,
  logo bytea,
  logo_type text,
  logo_sha256 bytea,
  constraint looks_pkey PRIMARY KEY (account_id),
  constraint looks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint looks_check CHECK ((logo IS NULL) = (logo_type IS NULL)),
  constraint looks_check1 CHECK ((logo IS NULL) = (logo_sha256 IS NULL)),
  constraint looks_colour_check CHECK (colour ~ '^#[0-9a-f]{6}$'::text),
  constraint looks_logo_type_check CHECK (logo_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text])),
  constraint looks_name_check CHECK (name <> ''::text)
);

create table mails (
  id text not null,
  recipient text not null,
  kind text not null,
  language text not null,
  facts jsonb not null,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  opens bigint,
  account_id bigint,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_language_check CHECK (language = ANY (ARRAY['en'::text, 'fr'::text]))
);
create INDEX mails_due ON mails USING btree (due_at);

create table marketing_uses (
  account_id bigint not null,
  number_hash bigint not null,
  days date[] not null,
  message_ids bigint[] not null,
  used integer not null,
  allowed integer not null,
  last_day date not null,
  constraint marketing_uses_pkey PRIMARY KEY (account_id, number_hash),
  constraint marketing_uses_within CHECK (used <= allowed)
);
create INDEX marketing_uses_last_day ON marketing_uses USING btree (last_day);

create table memberships (
  account_id bigint not null,
  person_id bigint not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone,
  is_from_groups boolean not null default false,
  notices_read_to bigint not null default 0,
  constraint memberships_pkey PRIMARY KEY (account_id, person_id),
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint memberships_role_check CHECK (role = ANY (ARRAY['owner'::text, 'manager'::text, 'sender'::text, 'reader'::text]))
);
create INDEX memberships_person ON memberships USING btree (person_id, account_id);

create table message_callbacks (
  account_id bigint not null,
  message_id bigint not null,
  door text not null,
  url text not null,
  method text not null,
  mask smallint not null,
  fields jsonb not null,
  given_numbers jsonb not null,
  kept_until timestamp with time zone not null,
  constraint message_callbacks_pkey PRIMARY KEY (account_id, message_id),
  constraint message_callbacks_door_check CHECK (door = ANY (ARRAY['kannel'::text, 'jasmin'::text])),
  constraint message_callbacks_method_check CHECK (method = ANY (ARRAY['GET'::text, 'POST'::text]))
);
create INDEX message_callbacks_kept ON message_callbacks USING btree (kept_until);

create table message_counts (
  account_id bigint not null,
  messages_count bigint not null,
  constraint message_counts_pkey PRIMARY KEY (account_id)
)
with (fillfactor=50);

create table message_figures (
  account_id bigint not null,
  message_id bigint not null,
  scheduled_at timestamp with time zone not null,
  channel text not null,
  has_link boolean not null,
  recipients integer not null,
  sent integer not null,
  delivered integer not null,
  clicked integer not null,
  replied integer not null,
  opted_out integer not null,
  changes integer not null default 0,
  count_at timestamp with time zone default now(),
  constraint message_figures_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX message_figures_page ON message_figures USING btree (account_id, scheduled_at) INCLUDE (message_id, channel, has_link, recipients, sent, delivered, clicked, replied, opted_out);
create INDEX message_figures_uncounted ON message_figures USING btree (count_at) WHERE (count_at IS NOT NULL);

create table message_forms (
  account_id bigint not null,
  message_id bigint not null,
  kind text not null,
  fields jsonb not null,
  constraint message_forms_pkey PRIMARY KEY (account_id, message_id),
  constraint message_forms_kind_check CHECK (kind = ANY (ARRAY['numbers'::text, 'dynamic'::text, 'lists'::text, 'file'::text, 'rcs'::text]))
);

create table message_groups (
  account_id bigint not null,
  message_id bigint not null,
  counted_changes integer not null,
  counted_at timestamp with time zone not null,
  groups jsonb not null,
  constraint message_groups_pkey PRIMARY KEY (account_id, message_id)
);

create table message_types (
  id smallint not null,
  label text not null,
  price numeric(10,4) not null,
  constraint message_types_pkey PRIMARY KEY (id),
  constraint message_types_price_check CHECK (price >= 0::numeric)
);

create table messages (
  account_id bigint not null,
  id bigint not null,
  channel text not null,
  category text not null,
  state text not null,
  content text not null,
  sender text not null,
  external_id text,
  scheduled_at timestamp with time zone not null,
  recipients_count integer not null,
  segments_count integer not null,
  credits_required bigint not null,
  credits_refunded bigint not null default 0,
  waiting_count integer not null default 0,
  sent_count integer not null default 0,
  delivered_count integer not null default 0,
  read_count integer not null default 0,
  failed_count integer not null default 0,
  stopped_count integer not null default 0,
  cancelled_count integer not null default 0,
  clicked_count integer not null default 0,
  replied_count integer not null default 0,
  created_at timestamp with time zone not null default now(),
  taken_count integer not null default 0,
  cancelled_at timestamp with time zone,
  shorturl_mode text,
  shorturl_url text,
  is_folded boolean not null default false,
  resend_of bigint,
  options jsonb,
  name text,
  tags text[],
  paused_at timestamp with time zone,
  replaces bigint,
  replaced_by bigint,
  late_at timestamp with time zone,
  opted_out_count integer not null default 0,
  trace text,
  departed_at timestamp with time zone,
  constraint messages_pkey PRIMARY KEY (account_id, id),
  constraint messages_check CHECK (credits_refunded >= 0 AND credits_refunded <= credits_required),
  constraint messages_counts_are_a_partition CHECK ((waiting_count + sent_count + delivered_count + read_count + failed_count + stopped_count + cancelled_count) = recipients_count),
  constraint messages_counts_not_negative CHECK (LEAST(waiting_count, sent_count, delivered_count, read_count, failed_count, stopped_count, cancelled_count) >= 0)
)
with (fillfactor=50);
create INDEX messages_campaigns ON messages USING btree (account_id, scheduled_at, id) WHERE ((name IS NOT NULL) OR (recipients_count > 50) OR ((scheduled_at - created_at) > '00:01:00'::interval));
create INDEX messages_due ON messages USING btree (account_id, scheduled_at, id);
create TRIGGER messages_figures AFTER UPDATE ON messages FOR EACH ROW WHEN (old.is_folded) EXECUTE FUNCTION add_figure_change();

create table notices (
  account_id bigint not null,
  id bigint not null,
  kind text not null,
  subject text not null,
  name text not null,
  value double precision,
  bound double precision,
  created_at timestamp with time zone not null default now(),
  constraint notices_pkey PRIMARY KEY (account_id, id)
);
create UNIQUE INDEX notices_campaigns ON notices USING btree (account_id, subject) WHERE (kind = ANY (ARRAY['campaign_finished'::text, 'campaign_failed'::text]));
create INDEX notices_created ON notices USING btree (created_at);

create table number_grants (
  number text not null,
  account_id bigint not null,
  constraint number_grants_pkey PRIMARY KEY (number, account_id),
  constraint number_grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
create INDEX number_grants_account ON number_grants USING btree (account_id);

create unlogged table number_hours (
  hour integer not null,
  number_key bigint not null,
  used integer not null,
  allowed integer not null,
  constraint number_hours_pkey PRIMARY KEY (hour, number_key),
  constraint number_hours_within CHECK (used <= allowed)
);

create table operator_stops (
  id bigint not null,
  phone text not null,
  reason text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  constraint operator_stops_phone_unique UNIQUE (phone),
  constraint operator_stops_pkey PRIMARY KEY (id)
);

create table opt_outs (
  account_id bigint not null,
  id bigint not null,
  message_id bigint,
  way text not null,
  created_at timestamp with time zone not null default now(),
  constraint opt_outs_pkey PRIMARY KEY (account_id, id),
  constraint opt_outs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
create INDEX opt_outs_created ON opt_outs USING btree (created_at);
create INDEX opt_outs_message ON opt_outs USING btree (account_id, message_id);

create table parked_receipts (
  id bigint not null,
  carrier text not null,
  carrier_message_id text not null,
  state text not null,
  word text not null,
  error_code text not null,
  source text not null,
  destination text not null,
  happened_at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  tries smallint not null default 0,
  next_try_at timestamp with time zone,
  constraint parked_receipts_pkey PRIMARY KEY (id),
  constraint parked_receipts_state_check CHECK (state = ANY (ARRAY['delivered'::text, 'failed'::text, 'expired'::text, 'rejected'::text, 'unknown'::text]))
);
create INDEX parked_receipts_destination ON parked_receipts USING btree ("right"(destination, 8));
create INDEX parked_receipts_due ON parked_receipts USING btree (next_try_at) WHERE (next_try_at IS NOT NULL);
create INDEX parked_receipts_phone ON parked_receipts USING btree (carrier, "right"(source, 8), received_at);
create INDEX parked_receipts_received ON parked_receipts USING btree (received_at);
create INDEX parked_receipts_source ON parked_receipts USING btree ("right"(source, 8));

create table passkey_challenges (
  challenge_hash bytea not null,
  person_id bigint not null,
  session_id text,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
create INDEX passkey_challenges_expires ON passkey_challenges USING btree (expires_at);

create table passkeys (
  id bigint not null,
  person_id bigint not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint passkeys_credential_unique UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
create INDEX passkeys_person ON passkeys USING btree (person_id, id);

create table password_resets (
  person_id bigint not null,
  expires_at timestamp with time zone not null,
  id bigint not null,
  token_hashes bytea[] not null default '{}'::bytea[],
  constraint password_resets_pkey PRIMARY KEY (id),
  constraint password_resets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
create INDEX password_resets_person ON password_resets USING btree (person_id);
create INDEX password_resets_tokens ON password_resets USING gin (token_hashes);

create table pending_erasures (
  account_id bigint not null,
  phone text not null,
  created_at timestamp with time zone not null default now(),
  next_look_at timestamp with time zone not null default now(),
  constraint pending_erasures_pkey PRIMARY KEY (account_id, phone),
  constraint pending_erasures_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
create INDEX pending_erasures_next ON pending_erasures USING btree (next_look_at);

create table people (
  id bigint not null,
  email text not null,
  password_hash text,
  first_name text not null default ''::text,
  last_name text not null default ''::text,
  phone_number text not null default ''::text,
  token_version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  last_login_at timestamp with time zone,
  language text,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_language_check CHECK (language = ANY (ARRAY['en'::text, 'fr'::text]))
);
create UNIQUE INDEX people_email_unique ON people USING btree (lower(email));

create table phone_accounts (
  phone text not null,
  account_id bigint not null,
  month date not null
);
create INDEX phone_accounts_month ON phone_accounts USING btree (month);
create INDEX phone_accounts_phone ON phone_accounts USING btree (phone, account_id, month);

create table pictures (
  account_id bigint not null,
  id bigint not null,
  code text not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  bytes integer not null,
  sha256 bytea not null,
  used_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  content bytea not null,
  constraint pictures_code_key UNIQUE (code),
  constraint pictures_once UNIQUE (account_id, sha256),
  constraint pictures_pkey PRIMARY KEY (account_id, id),
  constraint pictures_content_check CHECK (octet_length(content) <= 2097152)
);
create INDEX pictures_used ON pictures USING btree (used_at);

create table price_lists (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  is_default boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint price_lists_pkey PRIMARY KEY (id),
  constraint price_lists_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint price_lists_name_check CHECK (name <> ''::text)
);
create UNIQUE INDEX price_lists_default ON price_lists USING btree (is_default) WHERE is_default;
create UNIQUE INDEX price_lists_name ON price_lists USING btree (account_id, lower(name));

create table price_register (
  is_only boolean not null default true,
  version bigint not null,
  constraint price_register_pkey PRIMARY KEY (is_only),
  constraint price_register_is_only_check CHECK (is_only)
);

create table price_versions (
  list_id bigint not null,
  number integer not null,
  id bigint not null,
  valid_from timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  made_by text not null,
  prices_count integer not null,
  constraint price_versions_id_key UNIQUE (id),
  constraint price_versions_pkey PRIMARY KEY (list_id, number),
  constraint price_versions_list_id_fkey FOREIGN KEY (list_id) REFERENCES price_lists(id),
  constraint price_versions_number_check CHECK (number > 0)
);

create table prices (
  version_id bigint not null,
  kind text not null,
  prefix text not null,
  credits smallint not null,
  constraint prices_pkey PRIMARY KEY (version_id, kind, prefix),
  constraint prices_credits_check CHECK (credits >= 1 AND credits <= 1000),
  constraint prices_kind_check CHECK (kind = ANY (ARRAY['sms'::text, 'rcs_basic'::text, 'rcs_single'::text, 'rcs_conversation'::text])),
  constraint prices_prefix_check CHECK (prefix ~ '^([1-9][0-9]{0,11})?$'::text)
);

create table rbm_events (
  carrier text not null,
  event_id text not null,
  is_report boolean not null,
  body text not null,
  received_at timestamp with time zone not null default now(),
  tries smallint not null default 0,
  next_try_at timestamp with time zone default now(),
  constraint rbm_events_pkey PRIMARY KEY (carrier, event_id)
)
with (fillfactor=70);
create INDEX rbm_events_due ON rbm_events USING btree (is_report, next_try_at) WHERE (next_try_at IS NOT NULL);
create INDEX rbm_events_received ON rbm_events USING btree (received_at);

create table rcs_capabilities (
  carrier text not null,
  phone text not null,
  is_capable boolean not null,
  checked_at timestamp with time zone not null default now(),
  constraint rcs_capabilities_pkey PRIMARY KEY (carrier, phone)
)
with (fillfactor=70);
create INDEX rcs_capabilities_checked ON rcs_capabilities USING btree (checked_at);

create table rcs_conversations (
  account_id bigint not null,
  id bigint not null,
  phone text not null,
  opened_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  price smallint not null,
  charged smallint not null default 0,
  settle_at timestamp with time zone,
  constraint rcs_conversations_pkey PRIMARY KEY (account_id, id),
  constraint rcs_conversations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint rcs_conversations_check CHECK (charged >= 0 AND charged <= price),
  constraint rcs_conversations_price_check CHECK (price > 0)
);
create INDEX rcs_conversations_due ON rcs_conversations USING btree (settle_at) WHERE (settle_at IS NOT NULL);
create INDEX rcs_conversations_phone ON rcs_conversations USING btree (account_id, phone, ends_at);

create table rcs_messages (
  account_id bigint not null,
  message_id bigint not null,
  type text not null,
  data jsonb not null,
  fallback_content text,
  fallback_sender text,
  has_plain_typography boolean not null,
  country text not null,
  variables text[] not null,
  price_version bigint,
  price_floor bigint,
  constraint rcs_messages_pkey PRIMARY KEY (account_id, message_id),
  constraint rcs_messages_type_check CHECK (type = ANY (ARRAY['text'::text, 'card'::text, 'carousel'::text]))
);
create INDEX rcs_messages_message ON rcs_messages USING btree (message_id);

create table rcs_waits (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  carrier text not null,
  step text not null,
  due_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  grace_seconds real not null,
  ending text,
  constraint rcs_waits_pkey PRIMARY KEY (account_id, message_id, "position"),
  constraint rcs_waits_ending_check CHECK (ending = ANY (ARRAY['stopped'::text, 'expired'::text])),
  constraint rcs_waits_step_check CHECK (step = ANY (ARRAY['report'::text, 'revoked'::text, 'cancelled'::text]))
)
with (fillfactor=70);
create INDEX rcs_waits_due ON rcs_waits USING btree (due_at);

create table recipients (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  state smallint not null default 0,
  segments smallint not null,
  credits smallint not null,
  country text not null,
  phone text not null,
  content text,
  error_code text,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  carrier text,
  carrier_message_ids text[],
  receipt text,
  channel text,
  read_at timestamp with time zone,
  clicked_at timestamp with time zone,
  resent_as bigint,
  rcs_credits smallint,
  constraint recipients_pkey PRIMARY KEY (account_id, message_id, "position")
)
partition by RANGE (message_id);
create INDEX recipients_phone ON ONLY recipients USING btree (phone, message_id);

create table recovery_codes (
  person_id bigint not null,
  code_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint recovery_codes_pkey PRIMARY KEY (person_id, code_hash),
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table removals (
  account_id bigint not null,
  message_id bigint not null,
  recipients_count integer not null,
  removed_to integer not null default 0,
  due_at timestamp with time zone not null,
  constraint removals_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX removals_due ON removals USING btree (due_at);

create table replies (
  account_id bigint not null,
  id bigint not null,
  message_id bigint,
  phone text not null,
  written_to text not null,
  channel text not null,
  content text not null,
  is_stop boolean not null,
  created_at timestamp with time zone not null default now(),
  constraint replies_pkey PRIMARY KEY (account_id, id),
  constraint replies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint replies_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'rcs'::text]))
);
create INDEX replies_of_message ON replies USING btree (account_id, message_id, id);
create INDEX replies_of_phone ON replies USING btree (account_id, phone, id);

create table reply_segments (
  carrier text not null,
  source text not null,
  destination text not null,
  reference integer not null,
  total smallint not null,
  position smallint not null,
  text bytea not null,
  received_at timestamp with time zone not null default now(),
  is_joined boolean not null default false,
  constraint reply_segments_pkey PRIMARY KEY (carrier, source, destination, reference, total, "position")
);
create INDEX reply_segments_received ON reply_segments USING btree (received_at);

create table scheduled_messages (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamp with time zone not null,
  constraint scheduled_messages_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX scheduled_messages_due ON scheduled_messages USING btree (due_at);

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  works_with text[],
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table sender_list_entries (
  id bigint not null,
  name text not null,
  name_key text not null,
  kind text not null,
  account_id bigint,
  note text not null,
  created_at timestamp with time zone not null default now(),
  constraint sender_list_entries_name_key_key UNIQUE (name_key),
  constraint sender_list_entries_pkey PRIMARY KEY (id),
  constraint sender_list_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sender_list_entries_check CHECK ((kind = 'reserved'::text) = (account_id IS NOT NULL)),
  constraint sender_list_entries_kind_check CHECK (kind = ANY (ARRAY['forbidden'::text, 'word'::text, 'reserved'::text]))
);

create table sender_modes (
  account_id bigint not null,
  by_operator text,
  by_parent text,
  constraint sender_modes_pkey PRIMARY KEY (account_id),
  constraint sender_modes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sender_modes_by_operator_check CHECK (by_operator = ANY (ARRAY['open'::text, 'warn'::text, 'enforce'::text])),
  constraint sender_modes_by_parent_check CHECK (by_parent = ANY (ARRAY['open'::text, 'warn'::text, 'enforce'::text]))
);

create table sender_proofs (
  sender_id bigint not null,
  file_name text not null,
  media_type text not null,
  content bytea not null,
  constraint sender_proofs_pkey PRIMARY KEY (sender_id),
  constraint sender_proofs_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES senders(id) ON DELETE CASCADE,
  constraint sender_proofs_content_check CHECK (octet_length(content) <= 2097152)
);

create table sender_register (
  is_only boolean not null default true,
  version bigint not null,
  constraint sender_register_pkey PRIMARY KEY (is_only),
  constraint sender_register_is_only_check CHECK (is_only)
);

create table senders (
  id bigint not null,
  account_id bigint not null,
  name text not null,
  name_key text not null,
  countries text[] not null,
  use text not null,
  proof text not null,
  proof_link text not null,
  state text not null default 'waiting'::text,
  reason text not null default ''::text,
  is_by_operator boolean not null default false,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint senders_declared_once UNIQUE (account_id, name_key),
  constraint senders_pkey PRIMARY KEY (id),
  constraint senders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint senders_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'approved'::text, 'refused'::text, 'disabled'::text])),
  constraint senders_use_check CHECK (use = ANY (ARRAY['any'::text, 'marketing'::text, 'transactional'::text]))
);
create INDEX senders_state ON senders USING btree (state, id);

create table sessions (
  id text not null,
  person_id bigint not null,
  account_id bigint not null,
  viewed_from bigint,
  address text not null,
  agent text not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  signed_on_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint sessions_viewed_from_fkey FOREIGN KEY (viewed_from) REFERENCES accounts(id)
);
create INDEX sessions_expires ON sessions USING btree (expires_at);
create INDEX sessions_person ON sessions USING btree (person_id, created_at);

create table short_links (
  code text not null,
  account_id bigint not null,
  message_id bigint not null,
  position integer,
  url text not null,
  visitor_key bytea,
  created_at timestamp with time zone not null default now(),
  constraint short_links_pkey PRIMARY KEY (code),
  constraint short_links_check CHECK (("position" IS NULL) = (visitor_key IS NOT NULL))
);
create INDEX short_links_created ON short_links USING btree (created_at);

create table sign_on_attempts (
  state_hash bytea not null,
  browser_hash bytea not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamp with time zone not null,
  constraint sign_on_attempts_pkey PRIMARY KEY (state_hash)
);
create INDEX sign_on_attempts_expires ON sign_on_attempts USING btree (expires_at);

create table sign_on_tickets (
  ticket_hash bytea not null,
  browser_hash bytea not null,
  issuer text not null,
  subject text not null,
  email text not null,
  is_email_verified boolean not null,
  first_name text not null,
  last_name text not null,
  groups text[] not null,
  expires_at timestamp with time zone not null,
  constraint sign_on_tickets_pkey PRIMARY KEY (ticket_hash)
);
create INDEX sign_on_tickets_expires ON sign_on_tickets USING btree (expires_at);

create table smpp_binds (
  id uuid not null,
  credential_id bigint not null,
  account_id bigint not null,
  mode text not null,
  address text not null,
  is_encrypted boolean not null,
  interface_version smallint not null,
  bound_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  constraint smpp_binds_pkey PRIMARY KEY (id),
  constraint smpp_binds_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES smpp_credentials(id) ON DELETE CASCADE,
  constraint smpp_binds_mode_check CHECK (mode = ANY (ARRAY['transmitter'::text, 'receiver'::text, 'transceiver'::text]))
);
create INDEX smpp_binds_credential ON smpp_binds USING btree (credential_id);

create table smpp_credentials (
  id bigint not null,
  account_id bigint not null,
  system_id text not null,
  name text not null,
  password_hash text not null,
  addresses text[] not null default '{}'::text[],
  binds_max smallint not null,
  window_max smallint not null,
  throughput integer,
  category text not null,
  is_binary_allowed boolean not null default false,
  is_active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  last_bound_at timestamp with time zone,
  drawn_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint smpp_credentials_system_id_unique UNIQUE (system_id),
  constraint smpp_credentials_pkey PRIMARY KEY (id),
  constraint smpp_credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint smpp_credentials_binds_max_check CHECK (binds_max > 0),
  constraint smpp_credentials_category_check CHECK (category = ANY (ARRAY['transactional'::text, 'marketing'::text])),
  constraint smpp_credentials_system_id_check CHECK (system_id ~ '^[!-~]{1,15}$'::text),
  constraint smpp_credentials_throughput_check CHECK (throughput > 0),
  constraint smpp_credentials_window_max_check CHECK (window_max > 0)
);
create INDEX smpp_credentials_account ON smpp_credentials USING btree (account_id, id);

create table smpp_deliveries (
  account_id bigint not null,
  id bigint not null,
  smpp_id bigint,
  message_id bigint,
  position integer,
  state smallint,
  reply_id bigint,
  attempts smallint not null default 0,
  due_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  claimed_by uuid,
  constraint smpp_deliveries_pkey PRIMARY KEY (account_id, id)
);
create INDEX smpp_deliveries_created ON smpp_deliveries USING btree (created_at);
create INDEX smpp_deliveries_due ON smpp_deliveries USING btree (account_id, due_at, id);
create INDEX smpp_deliveries_order ON smpp_deliveries USING btree (account_id, message_id, id) WHERE (message_id IS NOT NULL);

create table smpp_parts (
  account_id bigint not null,
  smpp_id bigint not null,
  credential_id bigint not null,
  source text not null,
  destination text not null,
  reference integer not null,
  total smallint not null,
  position smallint not null,
  body bytea not null,
  fields jsonb not null,
  state text not null default 'waiting'::text,
  created_at timestamp with time zone not null default now(),
  is_repeated boolean not null default false,
  constraint smpp_parts_pkey PRIMARY KEY (account_id, smpp_id),
  constraint smpp_parts_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'joined'::text, 'lost'::text]))
);
create INDEX smpp_parts_created ON smpp_parts USING btree (created_at);
create INDEX smpp_parts_open ON smpp_parts USING btree (account_id) WHERE (state <> 'joined'::text);
create INDEX smpp_parts_set ON smpp_parts USING btree (account_id, source, destination, reference);

create table smpp_submits (
  account_id bigint not null,
  message_id bigint not null,
  smpp_id bigint not null,
  wants smallint not null,
  reference integer,
  created_at timestamp with time zone not null default now(),
  constraint smpp_submits_pkey PRIMARY KEY (account_id, smpp_id)
);
create INDEX smpp_submits_created ON smpp_submits USING btree (created_at);
create INDEX smpp_submits_message ON smpp_submits USING btree (account_id, message_id);

create table statement_balances (
  account_id bigint not null,
  month date not null,
  message_type smallint not null,
  opening bigint not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  closing bigint not null,
  constraint statement_balances_pkey PRIMARY KEY (account_id, month, message_type),
  constraint statement_balances_check CHECK (closing = (opening + added - removed - used + refunded))
);
create TRIGGER statement_balances_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON statement_balances FOR EACH STATEMENT EXECUTE FUNCTION refuse_statement_change();

create table statement_months (
  month date not null,
  closed_at timestamp with time zone not null default now(),
  constraint statement_months_pkey PRIMARY KEY (month)
);

create table statement_series (
  issuer_id bigint not null,
  last_number bigint not null default 0,
  constraint statement_series_pkey PRIMARY KEY (issuer_id),
  constraint statement_series_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES accounts(id)
);

create table statement_uses (
  account_id bigint not null,
  month date not null,
  message_type smallint not null,
  other_id bigint not null,
  other_name text not null,
  country text not null,
  sender text not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  constraint statement_uses_pkey PRIMARY KEY (account_id, month, message_type, other_id, country, sender)
);
create TRIGGER statement_uses_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON statement_uses FOR EACH STATEMENT EXECUTE FUNCTION refuse_statement_change();

create table statements (
  account_id bigint not null,
  month date not null,
  issuer_id bigint not null,
  number bigint not null,
  closed_at timestamp with time zone not null default now(),
  account_name text not null,
  issuer_name text not null,
  issuer_address text not null,
  constraint statements_issuer_id_number_key UNIQUE (issuer_id, number),
  constraint statements_pkey PRIMARY KEY (account_id, month),
  constraint statements_month_check CHECK (month = date_trunc('month'::text, month::timestamp with time zone)),
  constraint statements_number_check CHECK (number > 0)
);
create TRIGGER statements_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_statement_change();

create table stops (
  account_id bigint not null,
  id bigint not null,
  phone text not null,
  source text not null,
  created_at timestamp with time zone not null default now(),
  way text,
  message_id bigint,
  sender text,
  constraint stops_phone_unique UNIQUE (account_id, phone),
  constraint stops_pkey PRIMARY KEY (account_id, id),
  constraint stops_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint stops_source_check CHECK (source = ANY (ARRAY['manual'::text, 'file'::text, 'reply'::text])),
  constraint stops_way_check CHECK (way = ANY (ARRAY['reply'::text, 'link'::text, 'button'::text, 'platform'::text, 'manual'::text, 'file'::text]))
);

create table submissions (
  carrier text not null,
  carrier_message_id text not null,
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  part smallint not null,
  parts smallint not null,
  state smallint,
  submitted_at timestamp with time zone not null default now(),
  expired_at timestamp with time zone
)
with (fillfactor=90);
create INDEX submissions_awaited ON submissions USING btree (submitted_at) WHERE (expired_at IS NULL);
create INDEX submissions_carrier_message_id ON submissions USING btree (carrier, carrier_message_id);
create INDEX submissions_expired ON submissions USING btree (expired_at) WHERE (expired_at IS NOT NULL);

create table templates (
  account_id bigint not null,
  id bigint not null,
  kind text not null,
  name text not null,
  content text,
  sender text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  rcs_type text,
  data jsonb,
  fallback_content text,
  fallback_sender text,
  shorturl_mode text,
  shorturl_url text,
  constraint templates_pkey PRIMARY KEY (account_id, id),
  constraint templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint templates_kind_check CHECK (kind = ANY (ARRAY['sms'::text, 'rcs'::text])),
  constraint templates_rcs_is_whole CHECK (kind <> 'rcs'::text OR rcs_type IS NOT NULL AND data IS NOT NULL),
  constraint templates_rcs_type_check CHECK (rcs_type = ANY (ARRAY['text'::text, 'card'::text, 'carousel'::text])),
  constraint templates_shorturl_mode_check CHECK (shorturl_mode = ANY (ARRAY['unique'::text, 'common'::text])),
  constraint templates_sms_is_whole CHECK (kind <> 'sms'::text OR content IS NOT NULL AND sender IS NOT NULL)
);

create table timeline_steps (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  id bigint not null,
  at timestamp with time zone not null default now(),
  step text not null,
  detail text not null,
  carrier text,
  times integer not null default 1,
  last_at timestamp with time zone,
  collapsed_by text,
  constraint timeline_steps_pkey PRIMARY KEY (account_id, message_id, "position", id)
)
partition by RANGE (message_id);
create UNIQUE INDEX timeline_steps_collapsed ON ONLY timeline_steps USING btree (account_id, message_id, "position", step, collapsed_by) WHERE (collapsed_by IS NOT NULL);

create table token_keys (
  id text not null,
  public_key text not null,
  created_at timestamp with time zone not null default now(),
  constraint token_keys_pkey PRIMARY KEY (id)
);

create table totp_secrets (
  person_id bigint not null,
  secret text not null,
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0,
  failures integer not null default 0,
  failures_since timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint totp_secrets_pkey PRIMARY KEY (person_id),
  constraint totp_secrets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table trial_people (
  account_id bigint not null,
  trial_id bigint not null,
  variant smallint not null,
  phone text not null,
  field_values jsonb not null,
  constraint trial_people_pkey PRIMARY KEY (account_id, trial_id, variant, phone)
);

create table trials (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  state text not null,
  contactlist bigint[] not null,
  segment_ids bigint[] not null,
  share smallint not null,
  decide_by text not null,
  decide_after_minutes integer,
  variants jsonb not null,
  message_ids bigint[] not null default '{}'::bigint[],
  variables text[] not null default '{}'::text[],
  rest_count integer not null default 0,
  due_at timestamp with time zone,
  begun_at timestamp with time zone,
  choice jsonb,
  rest_message_id bigint,
  problem text,
  created_at timestamp with time zone not null default now(),
  constraint trials_pkey PRIMARY KEY (account_id, id),
  constraint trials_decide_by_check CHECK (decide_by = ANY (ARRAY['clicks'::text, 'replies'::text, 'deliveries'::text, 'hand'::text])),
  constraint trials_due_are_open CHECK (due_at IS NULL OR (state = ANY (ARRAY['scheduled'::text, 'testing'::text]))),
  constraint trials_share_check CHECK (share >= 1 AND share <= 100),
  constraint trials_state_check CHECK (state = ANY (ARRAY['scheduled'::text, 'testing'::text, 'chosen'::text, 'cancelled'::text, 'failed'::text]))
);
create INDEX trials_due ON trials USING btree (due_at) WHERE (due_at IS NOT NULL);

create table uncounted_messages (
  account_id bigint not null,
  message_id bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint uncounted_messages_pkey PRIMARY KEY (account_id, message_id)
);

create table untold_cancels (
  account_id bigint not null,
  message_id bigint not null,
  recipients_count integer not null,
  except_positions integer[] not null,
  told_to integer not null default 0,
  told_at timestamp with time zone not null default now(),
  constraint untold_cancels_pkey PRIMARY KEY (account_id, message_id)
);
create INDEX untold_cancels_told ON untold_cancels USING btree (told_at);

create table webhook_deliveries (
  account_id bigint not null,
  id bigint not null,
  webhook_id bigint not null,
  event_id text not null,
  type text not null,
  url text not null,
  event_ids bigint[] not null,
  status text not null,
  attempts integer not null default 0,
  response_status integer,
  response_ms integer,
  response text,
  error text,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  is_test boolean not null default false,
  constraint webhook_deliveries_pkey PRIMARY KEY (account_id, id),
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'retrying'::text, 'failed'::text]))
)
with (fillfactor=70);
create INDEX webhook_deliveries_answered ON webhook_deliveries USING gin (event_ids) WHERE (response <> ''::text);
create INDEX webhook_deliveries_failed ON webhook_deliveries USING btree (account_id, created_at) WHERE (status = 'failed'::text);
create INDEX webhook_deliveries_open ON webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));
create INDEX webhook_deliveries_status ON webhook_deliveries USING btree (account_id, status, id) WHERE (status <> 'succeeded'::text);
create INDEX webhook_deliveries_type ON webhook_deliveries USING btree (account_id, type, id);

create table webhook_queue (
  webhook_id bigint not null,
  event_id bigint not null,
  account_id bigint not null,
  constraint webhook_queue_pkey PRIMARY KEY (webhook_id, event_id)
);

create table webhook_secrets (
  account_id bigint not null,
  id bigint not null,
  secret text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (account_id, id),
  constraint webhook_secrets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table webhook_turns (
  webhook_id bigint not null,
  account_id bigint not null,
  due_at timestamp with time zone not null,
  leased_by uuid,
  leased_until timestamp with time zone,
  constraint webhook_turns_pkey PRIMARY KEY (webhook_id)
)
with (fillfactor=50);
create INDEX webhook_turns_due ON webhook_turns USING btree (due_at);

create table webhooks (
  account_id bigint not null,
  id bigint not null,
  type text not null,
  url text not null,
  method text not null,
  is_active boolean not null,
  batch_size integer not null,
  created_at timestamp with time zone not null default now(),
  last_status integer,
  disabled_reason text,
  failing_since timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (account_id, id),
  constraint webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint webhooks_batch_size_check CHECK (batch_size >= 1 AND batch_size <= 500),
  constraint webhooks_method_check CHECK (method = 'POST'::text)
)
with (fillfactor=50);

create view accounts_of_phones as
 SELECT DISTINCT phone,
    account_id
   FROM recipients;
