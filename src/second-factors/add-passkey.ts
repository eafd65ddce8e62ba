import Type from 'typebox'
import { violatedConstraint } from '../database/database.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { notifyPersonChanged } from '../people/notices.store.ts'
import { PASSKEYS_MAX, tooManyPasskeys } from './passkey-count.ts'
import { insertPasskey } from './passkeys.store.ts'
import { PasskeyAttestation, verifyNewPasskey } from './passkeys.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import {
  hasFactor,
  type KnownCallers,
  PasskeyView,
  personOf,
  RecoveryCodes,
  recoveryCodesExample,
  toPasskeyView
} from './second-factor.ts'
import { findFactors, lockFactors } from './second-factors.store.ts'
import type { FindSite } from './site.ts'

export const addPasskey = (callers: KnownCallers, findSite: FindSite) =>
  operation({
    route: 'POST /users/me/second-factor/passkeys',
    id: 'addPasskey',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Add a passkey',
    description:
      'Takes the answer of the browser to the options of the beginning. With the first factor of a person come ten recovery codes, shown only here.',
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 100, description: 'To tell it from the others, such as Laptop.' }),
        passkey: PasskeyAttestation
      },
      { $id: 'NewPasskey' }
    ),
    answer: Type.Object({ passkey: PasskeyView, recovery_codes: RecoveryCodes }),
    example: {
      body: {
        name: 'Laptop',
        passkey: {
          id: 'Zm9yIGV4YW1wbGU',
          rawId: 'Zm9yIGV4YW1wbGU',
          type: 'public-key',
          response: { clientDataJSON: 'eyJ0eXBlIjoi4oCmIn0', attestationObject: 'o2NmbXRkbm9uZQ' }
        }
      },
      answer: {
        passkey: { id: 3, name: 'Laptop', created_at: '2026-11-15T09:31:00.000Z', last_used_at: null },
        recovery_codes: recoveryCodesExample
      }
    },
    refusals: {
      forbidden: 'The request has a key, or only looks at the account.',
      state_conflict: `The passkey is stored already, or the person has ${PASSKEYS_MAX} of them.`
    },
    async prepare({ caller, body, pool, origin }) {
      const { personId, sessionId } = personOf(caller)
      const answer = { personId, sessionId, site: findSite(origin), answer: body.passkey }
      const passkey = await verifyNewPasskey(pool, answer)
      if (passkey) return passkey
      throw invalidInput([{ path: 'passkey', message: 'does not answer the options that this session got last' }])
    },
    async handle({ caller, body, prepared, database, afterCommit, record }) {
      const { personId } = prepared
      afterCommit(() => callers.forget(caller.accountId))
      return database.begin(async (database) => {
        await lockFactors(database, personId)
        const factors = await findFactors(database, personId)
        if (factors.passkeyCount >= PASSKEYS_MAX) throw tooManyPasskeys()
        const passkey = await insertPasskey(database, { ...prepared, name: body.name }).catch((error) => {
          throw violatedConstraint(error) === 'passkeys_credential_unique' ? isThere() : error
        })
        await notifyPersonChanged(database, personId)
        await record(database, { object: { kind: 'passkey', id: passkey.id } })
        const codes = hasFactor(factors) ? [] : await makeRecoveryCodes(database, personId)
        return { passkey: toPasskeyView(passkey), recovery_codes: codes }
      })
    }
  })

function isThere(): Refusal {
  return new Refusal(409, 'state_conflict', 'This passkey is stored already.')
}
