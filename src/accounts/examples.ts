import { PERMISSIONS, type Permission } from '../http/permission.ts'

/** The people of the reference's examples. Their numbers are of the range reserved for fiction. */
const person = {
  email: 'lea@boutique.example',
  social_reason: 'Boutique Martin',
  phone_number: '+33639980001',
  first_name: 'Léa',
  last_name: 'Martin'
}

export const subAccountExample = {
  subaccount_id: 12,
  ...person,
  credits_mode: 'self' as const,
  created_at: '2026-11-15T09:30:00.000Z'
}

export const userExample = {
  id: 12,
  ...person,
  time_zone: 'Europe/Paris',
  country: 'FR',
  created_at: '2026-11-15T09:30:00.000Z',
  last_login_at: null
}

export const meExample = {
  ...userExample,
  credits_mode: 'self' as const,
  role: 'account' as const,
  is_sandbox: false,
  has_smpp: false,
  is_viewing: false,
  standing: 'open' as const,
  standing_reason: '',
  stop_mention: 'STOP 36111',
  settings: {
    time_zone: 'Europe/Paris',
    country: 'FR',
    in_doubt: 'resend' as const,
    hours_end: '20:00',
    sundays_and_holidays: false,
    typography: true,
    sender: 'CHAPPE',
    calendar: 'national' as const,
    balance_alert_sms: 100,
    balance_alert_rcs: 0,
    consent: 'off' as const,
    marketing_cap: 0,
    marketing_cap_days: 7
  },
  person_id: 12,
  role_on_account: 'owner' as const,
  permissions: Object.keys(PERMISSIONS) as Permission[],
  language: 'fr' as const
}

export const accountExample = {
  id: 12,
  parent_id: null,
  ...person,
  credits_mode: 'self' as const,
  created_at: '2026-11-15T09:30:00.000Z',
  last_login_at: null
}
