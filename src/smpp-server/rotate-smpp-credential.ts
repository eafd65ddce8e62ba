import Type from 'typebox'
import { NO_MORE, refuseMoreThanOwn } from '../accounts/key.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { askerOf, hashPassword } from '../people/passwords.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { NewSmppCredentialView, newCredentialExample, newPassword, scopesOf, toCredentialView } from './credential.ts'
import { findCredential, updateCredentialPassword } from './credentials.store.ts'

export const rotateSmppCredential = operation({
  route: 'POST /smpp/credentials/{id}/rotate',
  id: 'rotateSmppCredential',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Rotate the password of SMPP credentials',
  description: `Makes a new password, shown only here. The old one ends at once, and binds that used it end within a second. ${PROOF_WITH_TOKEN}`,
  body: Type.Object(Proof, { $id: 'SmppCredentialRotation' }),
  answer: NewSmppCredentialView,
  example: { body: { current_password: 'correct horse battery' }, answer: newCredentialExample },
  refusals: { ...NO_MORE, rate_limited: proofRefusals.rate_limited },
  async prepare({ caller, body, pool, address }) {
    await proveCaller(pool, caller, { address, body })
    const password = newPassword()
    return { password, passwordHash: await hashPassword(password, askerOf(caller)) }
  },
  async handle({ caller, params, database, record, prepared }) {
    const { accountId } = caller
    return database.begin(async (database) => {
      const credential = await findCredential(database, { accountId, id: params.id })
      if (!credential) throw notFound('SMPP credential')
      const { addresses } = credential
      await refuseMoreThanOwn(database, caller, { scopes: scopesOf(credential), addresses, expiresAt: null })
      const { passwordHash } = prepared
      await updateCredentialPassword(database, { accountId, id: credential.id, passwordHash })
      await record(database, {
        object: { kind: 'smpp_credential', id: credential.id },
        changes: { password: 'hidden' }
      })
      return { ...toCredentialView(credential), password: prepared.password }
    })
  }
})
