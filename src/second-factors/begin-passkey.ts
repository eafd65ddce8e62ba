import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findPerson } from '../people/people.store.ts'
import { PASSKEYS_MAX, tooManyPasskeys } from './passkey-count.ts'
import { askNewPasskey, PasskeyOptions } from './passkeys.ts'
import { proveCaller } from './prove-again.ts'
import { Proof, personOf, proofRefusals } from './second-factor.ts'
import { findFactors } from './second-factors.store.ts'
import type { FindSite } from './site.ts'

export const beginPasskey = (findSite: FindSite) =>
  operation({
    route: 'POST /users/me/second-factor/passkeys/begin',
    id: 'beginPasskey',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Begin with a passkey',
    description:
      'Answers the options that a browser makes a passkey with. They hold for five minutes, for this session, once. Needs the password or a code.',
    body: Type.Object(Proof, { $id: 'PasskeyBeginning' }),
    answer: PasskeyOptions,
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { options: { challenge: 'Zm9yIGV4YW1wbGU', rp: { id: 'sms.example.com', name: 'Chappe' } } }
    },
    refusals: { ...proofRefusals, state_conflict: `The person has ${PASSKEYS_MAX} passkeys already.` },
    async prepare({ caller, body, pool, address, origin }) {
      const { personId, sessionId } = personOf(caller)
      await proveCaller(pool, caller, { address, body })
      return { personId, sessionId, site: findSite(origin) }
    },
    async handle({ prepared: { personId, sessionId, site }, database }) {
      const person = await findPerson(database, personId)
      if (!person) throw notFound('person')
      if ((await findFactors(database, personId)).passkeyCount >= PASSKEYS_MAX) throw tooManyPasskeys()
      return { options: await askNewPasskey(database, { personId, sessionId, email: person.email, site }) }
    }
  })
