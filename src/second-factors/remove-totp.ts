import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { notifyPersonChanged } from '../people/notices.store.ts'
import { proveCaller } from './prove-again.ts'
import { deleteRecoveryCodes } from './recovery-codes.store.ts'
import { hasFactor, type KnownCallers, Proof, personOf, proofRefusals } from './second-factor.ts'
import { findFactors, lockFactors } from './second-factors.store.ts'
import { deleteTotpSecret } from './totp.store.ts'

export const removeTotp = (callers: KnownCallers) =>
  operation({
    route: 'POST /users/me/second-factor/totp/remove',
    id: 'removeTotp',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Remove the authenticator app',
    description:
      'Log-ins no longer take codes of the app. Needs the password or a code. Recovery codes end with the last factor.',
    body: Type.Object(Proof, { $id: 'TotpRemoval' }),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { success: true, message: 'The authenticator app is removed.' }
    },
    refusals: { ...proofRefusals, not_found: 'There is no authenticator app.' },
    async prepare({ caller, body, pool, address }) {
      const { personId } = personOf(caller)
      await proveCaller(pool, caller, { address, body })
      return { personId }
    },
    async handle({ caller, prepared: { personId }, database, afterCommit, record }) {
      afterCommit(() => callers.forget(caller.accountId))
      await database.begin(async (database) => {
        await lockFactors(database, personId)
        if (!(await deleteTotpSecret(database, personId))) throw notFound('authenticator app')
        if (!hasFactor(await findFactors(database, personId))) await deleteRecoveryCodes(database, personId)
        await notifyPersonChanged(database, personId)
        await record(database)
      })
      return { success: true, message: 'The authenticator app is removed.' }
    }
  })
