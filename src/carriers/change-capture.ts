import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CAPTURE_MINUTES_MAX, CaptureView, captureExample, readCaptureView } from './capture-view.ts'
import { deleteCapture, findCapture, lockCapture, upsertCapture } from './captures.store.ts'
import type { RoutingTable } from './routing-table.ts'

export const changeCarrierCapture = (routing: RoutingTable) =>
  operation({
    route: 'PUT /carriers/{name}/capture',
    id: 'changeCarrierCapture',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Capture PDUs of a carrier for some minutes (operator)',
    description:
      'Within about a second, all processes begin to keep the last 100 PDUs of each bind of the carrier: direction, time, command, status, sequence number, addresses without their middle digits, and lengths. Texts, passwords and whole phone numbers are never kept. It ends by itself after `minutes`, and all PDUs are deleted then; 0 ends it at once. A repeat gives it that much time from now on.',
    body: Type.Object(
      {
        minutes: Type.Integer({
          minimum: 0,
          maximum: CAPTURE_MINUTES_MAX,
          description: 'How long it lasts from now on; 0 ends it.'
        })
      },
      { $id: 'CarrierCaptureChange' }
    ),
    answer: CaptureView,
    example: { body: { minutes: CAPTURE_MINUTES_MAX }, answer: { ...captureExample, binds: [] } },
    refusals: {
      ...OPERATOR_ONLY,
      not_found: 'There is no such carrier.',
      state_conflict: 'The carrier has no binds.'
    },
    async handle({ caller, params: { name }, body: { minutes }, database, record }) {
      refuseUnlessOperator(caller)
      const carrier = routing.find(name)
      if (!carrier) throw notFound('carrier')
      if (!carrier.kind.abilities.binds) {
        throw new Refusal(409, 'state_conflict', `A carrier of type ${carrier.kind.name} has no binds to look at.`)
      }
      return database.begin(async (database) => {
        await lockCapture(database, name)
        const before = await findCapture(database, name)
        // Also one that has ended and is still there.
        if (minutes === 0 || !before) await deleteCapture(database, name)
        const after = minutes === 0 ? undefined : await upsertCapture(database, { carrier: name, minutes })
        if (before || after) {
          const until = [before?.endsAt.toISOString() ?? null, after?.endsAt.toISOString() ?? null] as const
          await record(database, { object: { kind: 'carrier', id: name }, changes: { captured_until: until } })
        }
        return readCaptureView(database, name)
      })
    }
  })
