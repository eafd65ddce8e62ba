import Type from 'typebox'
import { databaseNowMs } from '../database/clock.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { notifyPersonChanged } from '../people/notices.store.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import { hasFactor, type KnownCallers, personOf, RecoveryCodes, recoveryCodesExample } from './second-factor.ts'
import { findFactors, lockFactors } from './second-factors.store.ts'
import { lockTotpSecret, updateConfirmed } from './totp.store.ts'
import { findStep, toTotpCode } from './totp.ts'

export const confirmTotp = (callers: KnownCallers) =>
  operation({
    route: 'POST /users/me/second-factor/totp/confirm',
    id: 'confirmTotp',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Confirm the authenticator app',
    description:
      'Takes a code of the app. From now on, log-ins of this person need one. With the first factor of a person come ten recovery codes, shown only here.',
    body: Type.Object(
      { code: Type.String({ minLength: 1, maxLength: 64, description: 'The six digits that the app shows.' }) },
      { $id: 'TotpConfirmation' }
    ),
    answer: Type.Object({ recovery_codes: RecoveryCodes }),
    example: { body: { code: '492039' }, answer: { recovery_codes: recoveryCodesExample } },
    refusals: {
      forbidden: 'The request has a key, or only looks at the account.',
      state_conflict: 'No app was begun with, or it is confirmed already.'
    },
    async handle({ caller, body, database, afterCommit, record }) {
      const { personId } = personOf(caller)
      afterCommit(() => callers.forget(caller.accountId))
      return database.begin(async (database) => {
        await lockFactors(database, personId)
        const totp = await lockTotpSecret(database, personId)
        if (!totp || totp.confirmedAt !== null) {
          throw new Refusal(409, 'state_conflict', 'There is no authenticator app to confirm: begin with one first.')
        }
        const code = toTotpCode(body.code) ?? ''
        const step = findStep(code, { secret: totp.secret, nowMs: databaseNowMs() })
        if (step === undefined) {
          throw invalidInput([
            { path: 'code', message: 'is wrong or too old: type the six digits that the app shows now' }
          ])
        }
        const isFirst = !hasFactor(await findFactors(database, personId))
        await updateConfirmed(database, { personId, step })
        await notifyPersonChanged(database, personId)
        await record(database)
        return { recovery_codes: isFirst ? await makeRecoveryCodes(database, personId) : [] }
      })
    }
  })
