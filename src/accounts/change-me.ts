import Type, { type Static } from 'typebox'
import { checkHoursEnd } from '../compliance/allowed-hours.ts'
import { checkSender } from '../compliance/sender.ts'
import { judgeSender } from '../compliance/sender-register.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { changesOf } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { CONSENT_MODES, type ConsentMode, strictest } from '../http/consent-mode.ts'
import { operation } from '../http/operation.ts'
import { refuseWithout } from '../http/permission.ts'
import { CurrentPassword, refuseWrongPassword } from '../people/current-password.ts'
import { LanguageSchema } from '../people/language.ts'
import { askerOf, hashPassword, Password } from '../people/passwords.ts'
import { type PersonChanges, updatePassword, updatePerson } from '../people/people.store.ts'
import { emailTaken, isEmailTaken } from '../people/person.ts'
import { hasNumberingPlan } from '../phone-numbers/phone-number.ts'
import { AccountSettings, Email, type Me, MeView, readPhoneNumber, type Surroundings, toMeView } from './account.ts'
import { type AccountChanges, updateAccount } from './accounts.store.ts'
import type { Callers } from './callers.ts'
import { meExample } from './examples.ts'
import { findMe } from './me.ts'
import { limitTakenEmails, TOO_MANY_TAKEN } from './taken-emails.ts'
import { canonicalTimeZone, nameAmong } from './time-zone.ts'
import { listTimeZones } from './time-zones.store.ts'

const Line = Type.Optional(Type.String({ maxLength: 255 }))

const Changes = Type.Object(
  {
    email: Type.Optional(Email),
    first_name: Line,
    last_name: Line,
    phone_number: Type.Optional(Type.String({ maxLength: 40 })),
    social_reason: Line,
    time_zone: Type.Optional(AccountSettings.properties.time_zone),
    country: Type.Optional(AccountSettings.properties.country),
    settings: Type.Optional(Type.Partial(AccountSettings, { $id: 'AccountSettingsChanges' })),
    language: Type.Optional(LanguageSchema('The language of mails to the person who asks.')),
    password: Type.Optional(Password),
    current_password: Type.Optional(CurrentPassword('Needed to change the password or the email.'))
  },
  { $id: 'MeChanges' }
)

export const changeMe = (callers: Callers, surroundings: Surroundings) =>
  operation({
    route: 'PUT /users/me',
    id: 'changeMe',
    tag: 'Beyond',
    permission: 'any',
    summary: 'Change my account',
    description:
      'Changes the given fields and leaves the others. Email, names, phone number and password are those of the person who asks; the rest belongs to the account and needs the permission `account`. A new password or email needs `current_password`; a new password ends every token that was issued before.',
    body: Changes,
    answer: MeView,
    example: { body: { settings: { hours_end: '21:00' } }, answer: meExample },
    refusals: {
      forbidden: 'A field of the account, or a request with a key, needs the permission `account`.',
      sender_not_allowed: 'The sender register does not let the account use this sender; the sentence says why.',
      state_conflict: 'An account with this email exists already, or the Idempotency-Key is in use.',
      rate_limited: `Ten wrong passwords for this account within a minute, or too many from this address. ${TOO_MANY_TAKEN}`
    },
    async prepare({ caller, body, pool, address }) {
      const { account } = await findMe(pool, caller)
      const personId = caller.personId ?? account.holderId
      const changes = readChanges(body, {
        countryNow: account.country,
        ourNumbers: surroundings.numbers.ourNumbers,
        consentLeast: strictest(surroundings.consent, account.parentConsent)
      })
      if (body.password !== undefined || body.email !== undefined) {
        await refuseWrongPassword(pool, personId, { address, password: body.current_password })
      }
      if (body.email !== undefined) await limitTakenEmails(pool, caller, body.email)
      refuseUnlessOwn(caller, changes)
      const { timeZone } = changes.account
      if (timeZone !== undefined && timeZone !== account.timeZone) {
        changes.account.timeZone = knownTimeZone(await listTimeZones(pool), timeZone, body)
      }
      return {
        warnings: judgeDefaultSender(changes, { caller, country: account.country, surroundings }),
        changes,
        personId,
        passwordHash: body.password === undefined ? undefined : await hashPassword(body.password, askerOf(caller))
      }
    },
    async handle({ caller, prepared: { changes, personId, passwordHash, warnings }, database, afterCommit, record }) {
      const { accountId } = caller
      const changed = await database.begin(async (database) => {
        const before = await findMe(database, caller)
        await updatePerson(database, personId, changes.person).catch((error) => {
          throw isEmailTaken(error) ? emailTaken() : error
        })
        await updateAccount(database, accountId, changes.account)
        const { timeZone } = changes.account
        if (timeZone !== undefined) {
          const change = { accountId, before: before.account.timeZone, after: timeZone }
          // Automations first: a run of one locks it before the credits of the day.
          await surroundings.carrySchedules(database, change)
          await surroundings.carryDayUse(database, change)
        }
        if (passwordHash) await updatePassword(database, { personId, passwordHash })
        const after = await findMe(database, caller)
        await record(database, {
          object: { kind: 'person', id: personId },
          changes: {
            ...changesOf(
              fieldsOf(before),
              fieldsOf(after),
              Object.keys({ ...changes.person, ...changes.account }) as ChangedName[]
            ),
            ...(changes.person.phoneNumber !== undefined && { phoneNumber: 'hidden' }),
            ...(passwordHash && { password: 'hidden' })
          }
        })
        return after
      })
      afterCommit(() => callers.forget(accountId))
      return { ...toMeView(changed, surroundings), ...(warnings.length > 0 && { warnings }) }
    }
  })

/** By the register, as every sender; the country is the one that the account will have. */
function judgeDefaultSender(
  { account: { defaultSender: name, country: countryAfter } }: Changed,
  { caller, country, surroundings }: { caller: Caller; country: string; surroundings: Surroundings }
): string[] {
  const { accountId, parentId } = caller
  const use = { accountId, parentId, country: countryAfter ?? country, category: undefined }
  return name ? judgeSender(surroundings.numbers.senders, { ...use, name }) : []
}

/** A person may change what is their own. What belongs to the account, and with a key everything, needs the permission. */
function refuseUnlessOwn(caller: Caller, changes: Changed): void {
  if (caller.personId === null || Object.keys(changes.account).length > 0) refuseWithout('account', caller)
  if (caller.isViewing) refuseWithout('account', caller)
}

function fieldsOf({ account, language }: Me) {
  return { ...account, language }
}

type ChangedName = keyof PersonChanges | keyof AccountChanges

/** Statements calculate with the zone of an account: a name that the database does not know would let them fail. */
function knownTimeZone(known: readonly string[], timeZone: string, body: Static<typeof Changes>): string {
  const name = nameAmong(known, timeZone)
  if (name !== undefined) return name
  const path = body.time_zone === undefined ? 'settings.time_zone' : 'time_zone'
  throw invalidInput([{ path, message: 'must be a time zone that the database of this service knows' }])
}

interface Changed {
  person: PersonChanges
  account: AccountChanges
}

function readChanges(
  body: Static<typeof Changes>,
  {
    countryNow,
    ourNumbers,
    consentLeast
  }: { countryNow: string; ourNumbers: ReadonlySet<string>; consentLeast: ConsentMode }
): Changed {
  const settings = body.settings ?? {}
  const timeZoneGiven = body.time_zone ?? settings.time_zone
  const timeZone = timeZoneGiven === undefined ? undefined : canonicalTimeZone(timeZoneGiven)
  const country = body.country ?? settings.country
  const problems: InputProblem[] = []
  for (const name of ['time_zone', 'country'] as const) {
    if (body[name] !== undefined && settings[name] !== undefined && body[name] !== settings[name]) {
      problems.push({ path: `settings.${name}`, message: `differs from ${name}: give it once` })
    }
  }
  const pathOf = (name: 'time_zone' | 'country') => (body[name] === undefined ? `settings.${name}` : name)
  if (timeZoneGiven !== undefined && timeZone === undefined) {
    problems.push({ path: pathOf('time_zone'), message: 'must be a time zone of the IANA list, such as Europe/Paris' })
  }
  if (country !== undefined && !hasNumberingPlan(country)) {
    problems.push({ path: pathOf('country'), message: 'must be a country code, such as FR' })
  }
  const { hours_end: hoursEnd } = settings
  const hoursProblem = hoursEnd === undefined ? undefined : checkHoursEnd(hoursEnd)
  if (hoursProblem !== undefined) problems.push({ path: 'settings.hours_end', message: hoursProblem })
  const senderProblem = settings.sender
    ? checkSender(settings.sender, { country: country ?? countryNow, ourNumbers })
    : undefined
  if (senderProblem !== undefined) problems.push({ path: 'settings.sender', message: senderProblem })
  const { consent } = settings
  if (consent !== undefined && CONSENT_MODES.indexOf(consent) < CONSENT_MODES.indexOf(consentLeast)) {
    const message = `must not be looser than ${consentLeast}, which the installation or the parent account requires`
    problems.push({ path: 'settings.consent', message })
  }
  if (problems.length > 0) throw invalidInput(problems)

  const person = withoutAbsent({
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    language: body.language,
    phoneNumber:
      body.phone_number === undefined
        ? undefined
        : readPhoneNumber(body.phone_number, { country: country ?? countryNow, path: 'phone_number' })
  })
  const account = withoutAbsent({
    socialReason: body.social_reason,
    timeZone,
    country,
    inDoubt: settings.in_doubt,
    hoursEnd,
    sundaysAndHolidays: settings.sundays_and_holidays,
    typography: settings.typography,
    defaultSender: settings.sender,
    calendar: settings.calendar,
    balanceAlertSms: settings.balance_alert_sms,
    balanceAlertRcs: settings.balance_alert_rcs,
    consent,
    marketingCap: settings.marketing_cap,
    marketingCapDays: settings.marketing_cap_days
  })
  return { person, account }
}

function withoutAbsent<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never
}
