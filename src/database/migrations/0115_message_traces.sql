-- A message is one trace, from its request to its webhooks, over processes and hours. The trace context (W3C `traceparent`,
-- and `tracestate` after a space) lies with the message. It is null without traces, which costs a row nothing.

alter table messages add column trace text;
