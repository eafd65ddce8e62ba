/** The types of events that a webhook can get. */
export const EVENT_TYPES = [
  'replies',
  'stops',
  'starts',
  'consents',
  'sms_status',
  'rcs_status',
  'clicks',
  'message_state',
  'limits',
  'balances',
  'credit_requests',
  'alarms'
] as const

export type EventType = (typeof EVENT_TYPES)[number]
