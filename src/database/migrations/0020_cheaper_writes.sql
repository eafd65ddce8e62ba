-- PostgreSQL reads the text of every check, and of the condition of every trigger, anew for each statement that writes to a
-- table. For a message to one recipient, that was a sixth of the work of the database. No statement below reads a table.

-- Words that only this service writes, each from a type with the same words. Their text made these checks the longest.
alter table messages
  drop constraint messages_category_check,
  drop constraint messages_channel_check,
  drop constraint messages_shorturl_mode_check,
  drop constraint messages_state_check,
  drop constraint messages_recipients_count_check;
alter table recipients drop constraint recipients_channel_check;

-- A connection reads the text of a function once. Calling it costs about as much as reading the words of its eight reasons. So
-- the check itself knows the most frequent reason, and calls the function for the others.
create function is_sound_entry(
  reason text, available bigint, reserved bigint, spent bigint, elsewhere bigint, available_after bigint, "position" bigint,
  reference text, part text, spender_id bigint, transfer_id uuid, counterparty_id bigint
) returns boolean language plpgsql immutable as $$
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
$$;

-- Not valid: the checks that it replaces have seen the rows that exist. New rows are checked all the same.
alter table credit_entries
  drop constraint credit_entries_reason,
  drop constraint credit_entries_sum_to_zero,
  drop constraint credit_entries_transfer,
  drop constraint credit_entries_available_after_check,
  drop constraint credit_entries_position_check,
  add constraint credit_entries_sound check (
    case reason
      when 'spend' then available < 0 and spent = -available and reserved = 0 and elsewhere = 0 and available_after >= 0
        and "position" > 0 and reference is not null and spender_id is not null and transfer_id is null
        and counterparty_id is null
      else is_sound_entry(
        reason, available, reserved, spent, elsewhere, available_after, "position", reference, part, spender_id, transfer_id,
        counterparty_id
      )
    end
  ) not valid;

-- The function decides whether a figure changed. It runs for folded messages only, which seldom change.
create or replace function add_figure_change() returns trigger language plpgsql as $$
begin
  if (
    new.taken_count, new.delivered_count, new.read_count, new.failed_count, new.stopped_count, new.clicked_count,
    new.replied_count, new.credits_required, new.credits_refunded
  ) is not distinct from (
    old.taken_count, old.delivered_count, old.read_count, old.failed_count, old.stopped_count, old.clicked_count,
    old.replied_count, old.credits_required, old.credits_refunded
  ) then
    return null;
  end if;
  insert into figure_changes (
    account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits
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
    new.credits_required - new.credits_refunded - old.credits_required + old.credits_refunded
  );
  return null;
end
$$;
create or replace trigger messages_figures after update on messages
  for each row when (old.is_folded) execute function add_figure_change();

-- One transaction often updates all rows of a page. Their new versions must fit beside the old ones: otherwise rows move to
-- another page, and every index is written. A quarter of the rows moved. Only new pages are filled less.
alter table messages set (fillfactor = 50);
