import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { findNetworkProblems, NO_MORE, refuseMoreThanOwn } from '../accounts/key.ts'
import { notFound } from '../errors.ts'
import { changesOf } from '../http/act.ts'
import { operation } from '../http/operation.ts'
import { credentialExample, credentialFields, SmppCredentialView, scopesOf, toCredentialView } from './credential.ts'
import { findCredential, updateCredential } from './credentials.store.ts'

export const changeSmppCredential = operation({
  route: 'PUT /smpp/credentials/{id}',
  id: 'changeSmppCredential',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Change SMPP credentials',
  description:
    'Changes the fields that are given. Within a second, binds that are no longer allowed end in every process, and the others have the new window and throughput.',
  body: Type.Object(
    { ...credentialFields, name: Type.Optional(credentialFields.name) },
    { $id: 'SmppCredentialChange' }
  ),
  answer: SmppCredentialView,
  example: { body: { binds: 10 }, answer: { ...credentialExample, binds: 10 } },
  missing: findNetworkProblems,
  refusals: NO_MORE,
  async handle({ caller, params, body, database, record }) {
    const { accountId } = caller
    return database.begin(async (database) => {
      await lockAccount(database, accountId)
      const credential = await findCredential(database, { accountId, id: params.id })
      if (!credential) throw notFound('SMPP credential')
      const changed = {
        ...credential,
        name: body.name ?? credential.name,
        addresses: body.addresses ?? credential.addresses,
        bindsMax: body.binds ?? credential.bindsMax,
        windowMax: body.window ?? credential.windowMax,
        throughput: body.throughput === undefined ? credential.throughput : body.throughput,
        category: body.category ?? credential.category,
        isBinaryAllowed: body.binary ?? credential.isBinaryAllowed,
        isActive: body.active ?? credential.isActive
      }
      const { addresses } = changed
      await refuseMoreThanOwn(database, caller, { scopes: scopesOf(changed), addresses, expiresAt: null })
      await updateCredential(database, { accountId, ...changed })
      const [before, after] = [toCredentialView(credential), toCredentialView(changed)]
      await record(database, {
        object: { kind: 'smpp_credential', id: credential.id },
        changes: changesOf(before, after, CHANGEABLE)
      })
      return after
    })
  }
})

const CHANGEABLE = ['name', 'addresses', 'binds', 'window', 'throughput', 'category', 'binary', 'active'] as const
