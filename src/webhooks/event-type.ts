/** What a webhook can be told about (contract, part 5). */
export const EVENT_TYPES = ['replies', 'stops', 'sms_status', 'rcs_status', 'clicks', 'message_state'] as const

export type EventType = (typeof EVENT_TYPES)[number]
