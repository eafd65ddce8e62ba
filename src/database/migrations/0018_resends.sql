-- What was sent again is remembered, so that a second resend does not send to the same people once more.

-- The message whose failed recipients this one was sent to again.
alter table messages add column resend_of bigint;

-- The message that a failed recipient was sent to again by.
alter table recipients add column resent_as bigint;
