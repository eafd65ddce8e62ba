import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { SENDING, SendingView, toSendingView } from './pause.ts'
import { deletePause, lockPause, upsertPause } from './pauses.store.ts'
import type { RoutingTable } from './routing-table.ts'

export const changeCarrierSending = (routing: RoutingTable) =>
  operation({
    route: 'PUT /carriers/{name}/sending',
    id: 'changeCarrierSending',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Pause, drain or resume a carrier (operator)',
    description:
      'Within about a second, all processes hand over nothing more to a carrier that is `paused` or `draining`. What it already has is waited for, and its links stay, so that receipts and replies come. Messages wait for a `paused` carrier. A `draining` one gives way to the other carriers of its routes, and RCS to its fallback; what has no other way waits. `on` resumes. It holds over restarts, until it is changed. A test that the operator sends through the carrier leaves all the same.',
    body: Type.Object({ sending: Type.Enum(SENDING) }, { $id: 'CarrierSendingChange' }),
    answer: SendingView,
    example: {
      body: { sending: 'draining' },
      answer: { name: 'main', sending: 'draining', sending_since: '2026-11-15T09:30:00.000Z' }
    },
    refusals: { ...OPERATOR_ONLY, not_found: 'There is no such carrier.' },
    async handle({ caller, params, body: { sending }, database, record }) {
      refuseUnlessOperator(caller)
      const { name } = params
      if (!routing.find(name)) throw notFound('carrier')
      return database.begin(async (database) => {
        const before = await lockPause(database, name)
        if ((before?.mode ?? 'on') === sending) return toSendingView(name, before)
        const after = sending === 'on' ? undefined : await upsertPause(database, { carrier: name, mode: sending })
        if (sending === 'on') await deletePause(database, name)
        await record(database, {
          object: { kind: 'carrier', id: name },
          changes: { sending: [before?.mode ?? 'on', sending] }
        })
        return toSendingView(name, after)
      })
    }
  })
