import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CaptureView, captureExample, readCaptureView } from './capture-view.ts'
import type { RoutingTable } from './routing-table.ts'

export const readCarrierCapture = (routing: RoutingTable) =>
  operation({
    route: 'GET /carriers/{name}/capture',
    id: 'readCarrierCapture',
    tag: 'Beyond',
    permission: 'account',
    summary: 'The last PDUs of the binds of a carrier (operator)',
    description:
      'The last 100 PDUs of each bind, of all processes, while a capture runs; none otherwise. They are a second old at most. A text, a password or a whole phone number is never among them.',
    answer: CaptureView,
    example: { answer: captureExample },
    refusals: { ...OPERATOR_ONLY, not_found: 'There is no such carrier.' },
    async handle({ caller, params: { name }, database }) {
      refuseUnlessOperator(caller)
      if (!routing.find(name)) throw notFound('carrier')
      return readCaptureView(database, name)
    }
  })
