import Type, { type Static } from 'typebox'
import { checkSender } from '../compliance/sender.ts'
import type { Pool } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { hasNumberingPlan } from '../phone-numbers/phone-number.ts'
import { AccountSettings, Email, MeView, Password, readPhoneNumber, type Surroundings, toMeView } from './account.ts'
import { type AccountChanges, findAccount, findLoginAccount, updateAccount, updatePassword } from './accounts.store.ts'
import type { Callers } from './callers.ts'
import { checkPassword } from './check-password.ts'
import { meExample } from './examples.ts'
import { emailTaken } from './open-account.ts'
import { hashPassword } from './passwords.ts'

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
    password: Type.Optional(Password),
    current_password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Needed to change the password or the email.' })
    )
  },
  { $id: 'MeChanges' }
)

export const changeMe = (callers: Callers, surroundings: Surroundings) =>
  operation({
    route: 'PUT /users/me',
    id: 'changeMe',
    tag: 'Beyond',
    summary: 'Change my account',
    description:
      'Changes what is given and leaves the rest. A new password or email needs `current_password`; a new password ends every token that was issued before.',
    body: Changes,
    answer: MeView,
    example: { body: { settings: { hours_end: '21:00' } }, answer: meExample },
    refusals: {
      state_conflict: 'An account with this email exists already, or the Idempotency-Key is in use.',
      rate_limited: 'Ten wrong passwords for this account, or from this address, within a minute.'
    },
    async prepare({ caller, body, pool, address }) {
      const account = await findAccount(pool, caller.accountId)
      if (!account) throw notFound('account')
      const changes = readChanges(body, { countryNow: account.country, ourNumbers: surroundings.numbers.ourNumbers })
      if (body.password !== undefined || body.email !== undefined) {
        await refuseWrongPassword(pool, { email: account.email, address, password: body.current_password })
      }
      return { changes, passwordHash: body.password === undefined ? undefined : await hashPassword(body.password) }
    },
    async handle({ caller, prepared: { changes, passwordHash }, database, afterCommit }) {
      const { accountId } = caller
      const changed = await database.begin(async (database) => {
        await updateAccount(database, accountId, changes).catch((error) => {
          throw emailTaken(error) ?? error
        })
        if (passwordHash) await updatePassword(database, { accountId, passwordHash })
        return findAccount(database, accountId)
      })
      if (!changed) throw notFound('account')
      afterCommit(() => callers.forget(accountId))
      return toMeView(changed, surroundings)
    }
  })

function readChanges(
  body: Static<typeof Changes>,
  { countryNow, ourNumbers }: { countryNow: string; ourNumbers: ReadonlySet<string> }
): AccountChanges {
  const settings = body.settings ?? {}
  const timeZone = body.time_zone ?? settings.time_zone
  const country = body.country ?? settings.country
  const problems: InputProblem[] = []
  for (const name of ['time_zone', 'country'] as const) {
    if (body[name] !== undefined && settings[name] !== undefined && body[name] !== settings[name]) {
      problems.push({ path: `settings.${name}`, message: `differs from ${name}: give it once` })
    }
  }
  const pathOf = (name: 'time_zone' | 'country') => (body[name] === undefined ? `settings.${name}` : name)
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    problems.push({ path: pathOf('time_zone'), message: 'is not a time zone' })
  }
  if (country !== undefined && !hasNumberingPlan(country)) {
    problems.push({ path: pathOf('country'), message: 'is not a country code' })
  }
  const { hours_end: hoursEnd } = settings
  if (hoursEnd !== undefined && (hoursEnd <= '08:00' || hoursEnd > '22:00')) {
    problems.push({ path: 'settings.hours_end', message: 'must be after 08:00 and at most 22:00' })
  }
  const senderProblem = settings.sender
    ? checkSender(settings.sender, { country: country ?? countryNow, ourNumbers })
    : undefined
  if (senderProblem !== undefined) problems.push({ path: 'settings.sender', message: senderProblem })
  if (problems.length > 0) throw invalidInput(problems)

  return withoutAbsent({
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    phoneNumber:
      body.phone_number === undefined
        ? undefined
        : readPhoneNumber(body.phone_number, { country: country ?? countryNow, path: 'phone_number' }),
    socialReason: body.social_reason,
    timeZone,
    country,
    inDoubt: settings.in_doubt,
    hoursEnd,
    typography: settings.typography,
    defaultSender: settings.sender,
    calendar: settings.calendar
  })
}

function withoutAbsent<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Z]/i.test(name) // Offsets such as +02:00 know nothing of summer time.
  } catch {
    return false // That is how Intl says that it does not know the name.
  }
}

async function refuseWrongPassword(
  pool: Pool,
  { email, address, password }: { email: string; address: string; password: string | undefined }
): Promise<void> {
  if (password === undefined) throw invalidInput([{ path: 'current_password', message: 'is missing' }])
  const account = await findLoginAccount(pool, email)
  if (await checkPassword(pool, { account, email, address, password })) return
  throw invalidInput([{ path: 'current_password', message: 'is wrong' }])
}
