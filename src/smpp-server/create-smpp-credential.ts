import { strict as assert } from 'node:assert'
import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { findNetworkProblems, NO_MORE, refuseMoreThanOwn } from '../accounts/key.ts'
import { refuseAbove } from '../accounts/limits.ts'
import { violatedConstraint } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { askerOf, hashPassword } from '../people/passwords.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { insertBindSubscription } from '../webhooks/bind-subscriptions.store.ts'
import {
  BIND_DEFAULTS,
  CREDENTIALS_MAX,
  CredentialCreationFields,
  NewSmppCredentialView,
  newCredentialExample,
  newPassword,
  scopesOf,
  toCredentialView
} from './credential.ts'
import { countCredentials, findCredential, insertCredential, SYSTEM_ID_TAKEN } from './credentials.store.ts'

export const createSmppCredential = operation({
  route: 'POST /smpp/credentials',
  id: 'createSmppCredential',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Create SMPP credentials',
  description: `Makes credentials to bind with over SMPP, and answers their password, which is shown only here. An account has at most ${CREDENTIALS_MAX}. ${PROOF_WITH_TOKEN}`,
  body: Type.Object({ ...CredentialCreationFields, ...Proof }, { $id: 'SmppCredentialCreation' }),
  answer: NewSmppCredentialView,
  example: {
    body: {
      system_id: 'myplatform',
      name: 'Platform in Paris',
      addresses: ['192.0.2.0/24'],
      current_password: 'correct horse battery'
    },
    answer: newCredentialExample
  },
  missing: findNetworkProblems,
  refusals: {
    ...NO_MORE,
    rate_limited: proofRefusals.rate_limited,
    state_conflict: 'The system_id is taken, the account has as many as it may have, or the Idempotency-Key is in use.'
  },
  async prepare({ caller, body, pool, address }) {
    await proveCaller(pool, caller, { address, body })
    const password = newPassword()
    return { password, passwordHash: await hashPassword(password, askerOf(caller)) }
  },
  async handle({ caller, body, database, record, prepared }) {
    const { accountId } = caller
    const { system_id: systemId, name, addresses = [], throughput = null, category = 'transactional' } = body
    const fields = {
      name,
      addresses,
      bindsMax: body.binds ?? BIND_DEFAULTS.bindsMax,
      windowMax: body.window ?? BIND_DEFAULTS.windowMax,
      throughput,
      category,
      isBinaryAllowed: body.binary ?? false,
      isActive: body.active ?? true
    }
    return database.begin(async (database) => {
      // A key must not make credentials that outlive it, or that work from more networks.
      await refuseMoreThanOwn(database, caller, { scopes: scopesOf(fields), addresses, expiresAt: null })
      await lockAccount(database, accountId)
      refuseAbove(CREDENTIALS_MAX, 1 + (await countCredentials(database, accountId)), 'keys')
      const { passwordHash } = prepared
      const { id } = await insertCredential(database, { accountId, systemId, passwordHash, ...fields }).catch(
        refuseTaken
      )
      await insertBindSubscription(database, accountId)
      const credential = await findCredential(database, { accountId, id })
      assert(credential)
      await record(database, {
        object: { kind: 'smpp_credential', id },
        changes: { system_id: [null, systemId], name: [null, name], addresses: [null, addresses] }
      })
      return { ...toCredentialView(credential), password: prepared.password }
    })
  }
})

function refuseTaken(error: unknown): never {
  if (violatedConstraint(error) !== SYSTEM_ID_TAKEN) throw error
  throw new Refusal(409, 'state_conflict', 'This system_id is taken; choose another.')
}
