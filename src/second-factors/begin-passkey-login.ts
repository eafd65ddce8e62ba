import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { checkPassword } from '../people/check-password.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { askPasskey, PasskeyOptions } from './passkeys.ts'
import type { FindSite } from './site.ts'

export const beginPasskeyLogin = (findSite: FindSite) =>
  operation({
    route: 'POST /auth/login/passkey',
    id: 'beginPasskeyLogin',
    tag: 'Beyond',
    summary: 'Begin a log-in with a passkey',
    description:
      'For a person whose log-in was answered `second_factor_required` with the kind `passkey`: answers the options that the browser asks the passkey with. They hold for five minutes, once. The answer of the browser goes to `POST /auth/login` as `passkey`.',
    isOpen: true,
    bodyBytesMax: 16 * 1024,
    body: Type.Object(
      { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 1024 }) },
      { $id: 'PasskeyLogin' }
    ),
    answer: PasskeyOptions,
    example: {
      body: { email: 'lea@shop.example', password: 'correct horse battery' },
      answer: { options: { challenge: 'Zm9yIGV4YW1wbGU', rpId: 'sms.example.com' } }
    },
    refusals: {
      unauthorized: 'The email or the password is wrong.',
      state_conflict: 'The person has no passkey.',
      rate_limited: 'As for a log-in.'
    },
    async prepare({ body, pool, address, origin }) {
      const person = await findLoginPerson(pool, body)
      const isRight = await checkPassword(pool, { person, email: body.email, address, password: body.password })
      if (!person || !isRight) throw new Refusal(401, 'unauthorized', 'The email or the password is wrong.')
      return { personId: person.id, site: findSite(origin) }
    },
    async handle({ prepared, database }) {
      const options = await askPasskey(database, prepared)
      if (!options) throw new Refusal(409, 'state_conflict', 'There is no passkey to log in with; use a code.')
      return { options }
    }
  })
