/** The steps of a timeline, in about the order of a message's life. */
export const STEPS = [
  'accepted',
  'scheduled',
  'sent',
  'receipt',
  'delivered',
  'read',
  'clicked',
  'retry',
  'in_doubt',
  'resent',
  'taken',
  'rejected',
  'refused',
  'failed',
  'expired',
  'stopped',
  'sender_disabled',
  'cancelled',
  'late_receipt'
] as const

/** Steps that only an RCS has. */
export const RCS_STEPS = [
  'revoked',
  'revoke_failed',
  'fallback',
  'sms_stopped',
  'covered',
  'delivered_after_all',
  'late_report'
] as const

export type StepName = (typeof STEPS | typeof RCS_STEPS)[number]
