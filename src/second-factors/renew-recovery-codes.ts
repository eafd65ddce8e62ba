import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { proveCaller } from './prove-again.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import { hasFactor, Proof, personOf, proofRefusals, RecoveryCodes, recoveryCodesExample } from './second-factor.ts'
import { findFactors, lockFactors } from './second-factors.store.ts'

export const renewRecoveryCodes = operation({
  route: 'POST /users/me/second-factor/recovery-codes',
  id: 'renewRecoveryCodes',
  tag: 'Beyond',
  permission: 'any',
  isForSetup: true,
  summary: 'Make new recovery codes',
  description: 'Ten new codes, shown only here; all earlier ones end. Needs the password or a code.',
  body: Type.Object(Proof, { $id: 'RecoveryCodesRenewal' }),
  answer: Type.Object({ recovery_codes: RecoveryCodes }),
  example: {
    body: { current_password: 'correct horse battery' },
    answer: { recovery_codes: recoveryCodesExample }
  },
  refusals: { ...proofRefusals, state_conflict: 'The person has no second factor that codes could replace.' },
  async prepare({ caller, body, pool, address }) {
    const { personId } = personOf(caller)
    await proveCaller(pool, caller, { address, body })
    return { personId }
  },
  async handle({ prepared: { personId }, database, record }) {
    return database.begin(async (database) => {
      await lockFactors(database, personId)
      if (!hasFactor(await findFactors(database, personId))) {
        throw new Refusal(409, 'state_conflict', 'Set up an authenticator app or a passkey first.')
      }
      await record(database)
      return { recovery_codes: await makeRecoveryCodes(database, personId) }
    })
  }
})
