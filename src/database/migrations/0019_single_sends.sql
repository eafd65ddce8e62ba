-- Credits of a message that leaves at once are spent at once, by one entry instead of two. What does not leave after all is
-- refunded from the spent credits, as before.
alter table credit_entries
  drop constraint credit_entries_reason,
  add constraint credit_entries_reason check (
    case reason
      when 'opening' then available > 0 and elsewhere = -available and transfer_id is null
      when 'issue' then available > 0 and elsewhere = -available and transfer_id is null
      when 'withdrawal' then available < 0 and elsewhere = -available and transfer_id is null
      when 'transfer' then available <> 0 and elsewhere = -available and transfer_id is not null
      when 'reserve' then available < 0 and reserved = -available and reference is not null and spender_id is not null
      when 'spend' then available < 0 and spent = -available and reference is not null and spender_id is not null
      when 'refund' then available > 0 and reserved <= 0 and spent <= 0 and reserved + spent = -available
        and reference is not null and part is not null and spender_id is not null
      when 'settle' then available = 0 and reserved < 0 and spent = -reserved and reference is not null
        and spender_id is not null
      else false
    end
  );

-- PostgreSQL reads every check of a table anew for each statement that writes to it: one check for all counts is cheaper
-- than seven.
alter table messages
  drop constraint messages_waiting_count_check,
  drop constraint messages_sent_count_check,
  drop constraint messages_delivered_count_check,
  drop constraint messages_read_count_check,
  drop constraint messages_failed_count_check,
  drop constraint messages_stopped_count_check,
  drop constraint messages_cancelled_count_check,
  add constraint messages_counts_not_negative check (
    least(waiting_count, sent_count, delivered_count, read_count, failed_count, stopped_count, cancelled_count) >= 0
  );

-- The batch of a small send lives for some milliseconds. Dead rows of the queue are removed by their number, whatever the
-- size of the table.
alter table batches set (
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0
);
