import Type, { type Static } from 'typebox'
import { type OurNumbers, senderField } from '../compliance/sender.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput } from '../errors.ts'
import { CONSENT_MODES, type ConsentMode, strictest } from '../http/consent-mode.ts'
import { PERMISSIONS, type Permission } from '../http/permission.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { LanguageSchema } from '../people/language.ts'
import { Password } from '../people/passwords.ts'
import { type Role, RoleSchema } from '../people/role.ts'
import { countryPrefix, NOT_A_NUMBER, toE164 } from '../phone-numbers/phone-number.ts'
import { Nullable } from '../schemas/nullable.ts'
import { StandingSchema } from './standing.ts'

export type CreditsMode = 'self' | 'parent'
export type Standing = 'open' | 'suspended' | 'closed'

/** A row of `accounts`, its secrets aside. */
export interface Account {
  id: number
  parentId: number | null
  isOperator: boolean
  /** The person whose name and email the account shows. */
  holderId: number
  email: string
  firstName: string
  lastName: string
  phoneNumber: string
  socialReason: string
  creditsMode: CreditsMode
  timeZone: string
  country: string
  inDoubt: 'resend' | 'fail'
  hoursEnd: string
  sundaysAndHolidays: boolean
  typography: boolean
  defaultSender: string | null
  calendar: 'national' | 'alsace-moselle'
  balanceAlertSms: number
  balanceAlertRcs: number
  consent: ConsentMode
  /** Of the account above; null for one of its own. */
  parentConsent: ConsentMode | null
  marketingCap: number
  marketingCapDays: number
  standing: Standing
  /** Why it is suspended or closed. */
  standingReason: string
  createdAt: Date
  lastLoginAt: Date | null
}

export const CreditsModeSchema = Type.Enum(['self', 'parent'], {
  description: '`self` spends its own credits, `parent` those of the account above.'
})

export const Email = Type.String({ format: 'email', maxLength: 254 })
const Line = Type.String({ maxLength: 255 })

/** The person behind an account, as given when the account is made. */
export const personFields = {
  email: Email,
  password: Password,
  firstName: Type.Optional(Line),
  lastName: Type.Optional(Line),
  phoneNumber: Type.Optional(Type.String({ maxLength: 40, description: 'National or international; kept as E.164.' })),
  social_reason: Type.Optional(Type.String({ maxLength: 255, description: 'Company name.' }))
}

const Person = Type.Object(personFields)

export function toPerson(input: Static<typeof Person>) {
  return {
    email: input.email,
    firstName: input.firstName,
    lastName: input.lastName,
    phoneNumber: input.phoneNumber,
    socialReason: input.social_reason
  }
}

const accountFields = {
  email: Type.String(),
  social_reason: Type.String(),
  phone_number: Type.String(),
  first_name: Type.String(),
  last_name: Type.String()
}

const credentialFields = {
  appId: Type.String({ description: 'The X-APP-ID of the account.' }),
  apikey: Type.String({ description: 'The X-API-KEY of the account. Shown only here.' })
}

export const KeyPairView = Type.Object(credentialFields, { $id: 'ApiKeyPair' })

export const SubAccountView = Type.Object(
  {
    subaccount_id: Type.Integer(),
    ...accountFields,
    credits_mode: CreditsModeSchema,
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'subAccount' }
)

export const SubAccountWithCredentialsView = Type.Object(
  { subaccount_id: Type.Integer(), ...accountFields, credits_mode: CreditsModeSchema, ...credentialFields },
  { $id: 'subAccountWithCredentials' }
)

export const AccountView = Type.Object(
  {
    id: Type.Integer(),
    parent_id: Nullable(Type.Integer({ description: 'The account above, for a sub-account.' })),
    ...accountFields,
    credits_mode: CreditsModeSchema,
    created_at: Type.String({ format: 'date-time' }),
    last_login_at: Nullable(Type.String({ format: 'date-time' }))
  },
  { $id: 'Account' }
)

export const AccountWithCredentialsView = Type.Object(
  { id: Type.Integer(), ...accountFields, created_at: Type.String({ format: 'date-time' }), ...credentialFields },
  { $id: 'AccountWithCredentials' }
)

const userFields = {
  id: Type.Integer(),
  ...accountFields,
  time_zone: Type.String(),
  country: Type.String({ description: 'ISO 3166 code; numbers without a country code are read as of this country.' }),
  created_at: Type.String({ format: 'date-time' }),
  last_login_at: Nullable(Type.String({ format: 'date-time' }))
}

export const UserView = Type.Object(userFields, { $id: 'UserInfo' })

/** The settings that an account may change itself. */
export const AccountSettings = Type.Object(
  {
    time_zone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, such as `Europe/Paris`.' }),
    country: Type.String({
      pattern: '^[A-Z]{2}$',
      'x-words': 'two capital letters, such as FR',
      description: 'ISO 3166 code, such as `FR`.'
    }),
    in_doubt: Type.Enum(['resend', 'fail'], {
      description:
        'For a message whose hand-over was cut off: `resend` sends it again (nothing is lost), `fail` ends it (nothing is sent twice).'
    }),
    hours_end: Type.String({
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
      'x-words': 'a time of day, such as 20:30',
      description:
        'Marketing to France leaves from 08:00 up to but not including this time of the recipient’s zone; at most 21:30.'
    }),
    sundays_and_holidays: Type.Boolean({
      description:
        'Whether marketing may leave to France on Sundays and public holidays too, which the operators’ charter tolerates and advises against.'
    }),
    typography: Type.Boolean({
      description: 'Replace typographic characters by their GSM equals, so that they do not force Unicode.'
    }),
    sender: senderField('For messages that name none; empty means the sender of the carrier.'),
    calendar: Type.Enum(['national', 'alsace-moselle'], {
      description: 'The public holidays that marketing to metropolitan France keeps to.'
    }),
    balance_alert_sms: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Below so many SMS credits, the account is warned by mail and by an event `balances`; 0 for never.'
    }),
    balance_alert_rcs: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'The same for RCS credits.'
    }),
    consent: Type.Enum(CONSENT_MODES, {
      description:
        'What happens to marketing for people without a consent: `off` nothing, `warn` they are counted in `no_consent`, `enforce` they are dropped too. The strictest of the installation, the account above and this account holds, and is shown.'
    }),
    marketing_cap: Type.Integer({
      minimum: 0,
      maximum: 1_000,
      description:
        'The most marketing messages to one person within `marketing_cap_days`, over all campaigns; who had as many is dropped and counted in `capped`. 0 for no cap.'
    }),
    marketing_cap_days: Type.Integer({ minimum: 1, maximum: 365, description: 'The days of `marketing_cap`.' })
  },
  { $id: 'AccountSettings' }
)

export const MeView = Type.Object(
  {
    ...userFields,
    credits_mode: CreditsModeSchema,
    role: Type.Enum(['operator', 'account', 'sub-account'], {
      description: 'The operator runs this service; a sub-account belongs to another account.'
    }),
    is_sandbox: Type.Boolean({ description: 'Whether messages go to virtual phones only.' }),
    has_smpp: Type.Boolean({ description: 'Whether customers can bind over SMPP.' }),
    is_viewing: Type.Boolean({ description: 'Whether this is somebody from above who looks at the account.' }),
    standing: StandingSchema,
    standing_reason: Type.String(),
    stop_mention: Type.String({
      description:
        'The text in place of the variable STOP_XXX in an SMS to the account’s own country. Empty without a route to it.'
    }),
    settings: AccountSettings,
    person_id: Nullable(Type.Integer({ description: 'The person who asks; null with a key.' })),
    role_on_account: Nullable(RoleSchema),
    permissions: Type.Array(Type.Enum(Object.keys(PERMISSIONS) as Permission[]), {
      description: 'What the role or the key may do on this account.'
    }),
    language: Nullable(LanguageSchema('The language of mails to the person; null until one was chosen.')),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only after a change: what is wrong with the sender of the account, in the mode `warn`.'
      })
    )
  },
  { $id: 'Me' }
)

export function toSubAccountView(account: Account): Static<typeof SubAccountView> {
  return {
    subaccount_id: account.id,
    ...toAccountFields(account),
    credits_mode: account.creditsMode,
    created_at: account.createdAt.toISOString()
  }
}

export function toUserView(account: Account): Static<typeof UserView> {
  return {
    id: account.id,
    ...toAccountFields(account),
    time_zone: account.timeZone,
    country: account.country,
    created_at: account.createdAt.toISOString(),
    last_login_at: account.lastLoginAt?.toISOString() ?? null
  }
}

/** The account that asks, and the person who does. */
export interface Me {
  /** With the name and email of the person who asks. */
  account: Account
  /** Null with a key, as the next one. */
  personId: number | null
  role: Role | null
  permissions: ReadonlySet<Permission>
  language: MailLanguage | null
  isViewing: boolean
}

/** An account, as far as routes ask. */
export interface RoutedAccount {
  accountId: number
  parentId: number | null
  /** Its default sender. */
  sender: string | undefined
}

interface TimeZoneChange {
  accountId: number
  before: string
  after: string
}

/** Facts about the service that an account shows. */
export interface Surroundings {
  isSandbox: boolean
  /** Whether the installation has an SMPP server. */
  hasSmpp: boolean
  /** The opt-out mention of the carrier that serves a number for an account. */
  stopMention(e164: string, account: RoutedAccount): string
  numbers: OurNumbers
  /** The least strict mode of consent that the installation allows. */
  consent: ConsentMode
  /** Parts of a change of the time zone. */
  carryDayUse(sql: Sql, change: TimeZoneChange): Promise<void>
  carrySchedules(sql: Sql, change: TimeZoneChange): Promise<void>
}

export function toMeView(
  { account, personId, role, permissions, language, isViewing }: Me,
  { isSandbox, hasSmpp, stopMention, consent }: Surroundings
): Static<typeof MeView> {
  return {
    ...toUserView(account),
    credits_mode: account.creditsMode,
    role: account.isOperator ? 'operator' : account.parentId === null ? 'account' : 'sub-account',
    is_sandbox: isSandbox,
    has_smpp: hasSmpp,
    is_viewing: isViewing,
    standing: account.standing,
    standing_reason: account.standingReason,
    stop_mention: stopMention(countryPrefix(account.country), {
      accountId: account.id,
      parentId: account.parentId,
      sender: account.defaultSender ?? undefined
    }),
    settings: {
      time_zone: account.timeZone,
      country: account.country,
      in_doubt: account.inDoubt,
      hours_end: account.hoursEnd.slice(0, 5),
      sundays_and_holidays: account.sundaysAndHolidays,
      typography: account.typography,
      sender: account.defaultSender ?? '',
      calendar: account.calendar,
      balance_alert_sms: account.balanceAlertSms,
      balance_alert_rcs: account.balanceAlertRcs,
      consent: strictest(consent, account.parentConsent, account.consent),
      marketing_cap: account.marketingCap,
      marketing_cap_days: account.marketingCapDays
    },
    person_id: personId,
    role_on_account: role,
    permissions: [...permissions],
    language
  }
}

export function toAccountFields(account: Account) {
  return {
    email: account.email,
    social_reason: account.socialReason,
    phone_number: account.phoneNumber,
    first_name: account.firstName,
    last_name: account.lastName
  }
}

/** An account's own number: a way to reach a person, so any kind of line will do. Empty stays empty. */
export function readPhoneNumber(text: string, { country, path }: { country: string; path: string }): string {
  if (text.trim() === '') return ''
  const phoneNumber = toE164(text, country)
  if (!phoneNumber) throw invalidInput([{ path, message: NOT_A_NUMBER }])
  return phoneNumber
}
