import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { notifyPersonChanged } from '../people/notices.store.ts'
import { deletePasskey } from './passkeys.store.ts'
import { proveCaller } from './prove-again.ts'
import { deleteRecoveryCodes } from './recovery-codes.store.ts'
import { hasFactor, type KnownCallers, Proof, personOf, proofRefusals } from './second-factor.ts'
import { findFactors, lockFactors } from './second-factors.store.ts'

export const removePasskey = (callers: KnownCallers) =>
  operation({
    route: 'POST /users/me/second-factor/passkeys/{passkey_id}/remove',
    id: 'removePasskey',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Remove a passkey',
    description: 'It no longer logs in. Needs the password or a code. Recovery codes end with the last factor.',
    body: Type.Object(Proof, { $id: 'PasskeyRemoval' }),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { success: true, message: 'The passkey is removed.' }
    },
    refusals: proofRefusals,
    async prepare({ caller, body, pool, address }) {
      const { personId } = personOf(caller)
      await proveCaller(pool, caller, { address, body })
      return { personId }
    },
    async handle({ caller, params, prepared: { personId }, database, afterCommit, record }) {
      afterCommit(() => callers.forget(caller.accountId))
      await database.begin(async (database) => {
        await lockFactors(database, personId)
        if (!(await deletePasskey(database, { personId, id: params.passkey_id }))) throw notFound('passkey')
        if (!hasFactor(await findFactors(database, personId))) await deleteRecoveryCodes(database, personId)
        await notifyPersonChanged(database, personId)
        await record(database, { object: { kind: 'passkey', id: params.passkey_id } })
      })
      return { success: true, message: 'The passkey is removed.' }
    }
  })
