-- The trace context of a message lies with its events too: webhooks post them without reading the message.

alter table events add column trace text;
