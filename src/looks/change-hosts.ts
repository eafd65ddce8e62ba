import Type, { type Static } from 'typebox'
import type { Account } from '../accounts/account.ts'
import { lockAccount } from '../accounts/accounts.store.ts'
import { findForOperator, refuseClosed } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { readHosts } from './host-name.ts'
import type { LookHosts } from './look.ts'
import { deleteHosts, findHosts, insertHost, notifyLooksChanged } from './looks.store.ts'
import { toRows } from './looks.ts'
import type { LookParts } from './read-look.ts'

const hostFields = {
  console_host: Nullable(
    Type.String({ maxLength: 255, description: 'Where people of the account and its sub-accounts open the console.' })
  ),
  link_host: Nullable(Type.String({ maxLength: 255, description: 'Where the links in their messages lead.' }))
}

const HostsChange = Type.Object(hostFields, { $id: 'AccountHostsChange' })
const HostsView = Type.Object({ id: Type.Integer(), ...hostFields }, { $id: 'AccountHosts' })

const example = { id: 30, console_host: 'sms.agence.example', link_host: 'go.agence.example' }

export const readAccountHosts = operation({
  route: 'GET /accounts/{id}/hosts',
  id: 'readAccountHosts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The host names of an account (operator)',
  description: 'The host names at which the console and the links of a top-level account are.',
  answer: HostsView,
  example: { answer: example },
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database }) {
    const { id } = await findForOperator(database, caller, params.id)
    return toView(id, await findHosts(database, id))
  }
})

export const changeAccountHosts = (parts: Pick<LookParts, 'looks'> & { ownHosts: readonly string[] }) =>
  operation({
    route: 'PUT /accounts/{id}/hosts',
    id: 'changeAccountHosts',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Set the host names of an account (operator)',
    description:
      'Gives host names to a top-level account, or takes them with null. Pages at these hosts show the look of the account, and only its own people log in there. New links begin with `link_host`; links that were sent work at every host that leads to this service. DNS and the reverse proxy must lead these hosts to this service.',
    body: HostsChange,
    answer: HostsView,
    example: { body: { console_host: 'sms.agence.example', link_host: 'go.agence.example' }, answer: example },
    refusals: {
      ...OPERATOR_ONLY,
      state_conflict:
        'Another account has the host name, the account is closed, is a sub-account or the operator’s own, or the Idempotency-Key is in use.'
    },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const hosts = await database.begin(async (database) => {
        const account = await findForOperator(database, caller, params.id)
        // By the lock of the operator's account, all changes of host names take turns; two that swap theirs can't lock each
        // other out.
        await lockAccount(database, caller.accountId)
        await lockAccount(database, account.id)
        refuseClosed(await findForOperator(database, caller, params.id))
        const hosts = readHosts({ console: body.console_host, links: body.link_host }, parts.ownHosts)
        const rows = toRows(account.id, hosts)
        if (rows.length > 0) refuseUnlessCustomer(account)
        const before = await findHosts(database, account.id)
        await deleteHosts(database, account.id)
        for (const row of rows) {
          if (!(await insertHost(database, row))) throw conflict(`Another account has the host name ${row.host}.`)
        }
        await record(database, {
          accountId: account.id,
          object: { kind: 'account', id: account.id },
          changes: { console_host: [before.console, hosts.console], link_host: [before.links, hosts.links] }
        })
        await notifyLooksChanged(database)
        return hosts
      })
      afterCommit(() => parts.looks.applyHosts(params.id, hosts))
      return toView(params.id, hosts)
    }
  })

function refuseUnlessCustomer({ parentId, isOperator }: Account): void {
  if (parentId !== null) throw conflict('A sub-account has the host names of its parent account.')
  if (isOperator) throw conflict('The operator’s own host names are in the settings.')
}

function toView(id: number, { console, links }: LookHosts): Static<typeof HostsView> {
  return { id, console_host: console, link_host: links }
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
