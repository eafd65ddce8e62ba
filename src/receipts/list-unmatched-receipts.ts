import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, pageWindow, toPage } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { countParked, listParkedOfPage, type ParkedReceipt } from '../submissions/parked-receipts.store.ts'

const UnmatchedReceiptView = Type.Object(
  {
    id: Type.Integer(),
    carrier: Type.String(),
    carrier_message_id: Type.String({ description: 'As the carrier wrote it; empty when it named none.' }),
    state: Type.Enum(['delivered', 'failed', 'expired', 'rejected', 'unknown']),
    word: Type.String({ description: 'The carrier’s own word for the state.' }),
    errorcode: Type.String(),
    source: Type.String({ description: 'The numbers it names, as the carrier wrote them.' }),
    destination: Type.String(),
    happened_at: Type.String({ format: 'date-time' }),
    received_at: Type.String({ format: 'date-time' }),
    tries: Type.Integer(),
    next_try_at: Nullable(Type.String({ format: 'date-time', description: 'Null when it is not tried again.' }))
  },
  { $id: 'UnmatchedReceipt' }
)

export const listUnmatchedReceipts = operation({
  route: 'GET /carriers/unmatched',
  id: 'listUnmatchedReceipts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Receipts without a match (operator)',
  description:
    'Receipts that name no message we know, newest first. Each is tried again for about an hour, since many come before the answer they belong to, and kept for 30 days.',
  query: PageQuery,
  answer: Paginated(UnmatchedReceiptView, 'UnmatchedReceiptList'),
  example: {
    answer: {
      items: [
        {
          id: 3,
          carrier: 'main',
          carrier_message_id: '0A3F',
          state: 'delivered',
          word: 'DELIVRD',
          errorcode: '000',
          source: '33639980001',
          destination: 'CHAPPE',
          happened_at: '2026-11-15T09:30:00.000Z',
          received_at: '2026-11-15T09:30:01.000Z',
          tries: 10,
          next_try_at: null
        }
      ],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  refusals: OPERATOR_ONLY,
  mayLag: true,
  async handle({ caller, query, database }) {
    refuseUnlessOperator(caller)
    const totalItems = await countParked(database)
    const receipts = await listParkedOfPage(database, pageWindow({ ...query, totalItems }))
    return toPage(receipts.map(toView), { ...query, totalItems })
  }
})

function toView(receipt: ParkedReceipt): Static<typeof UnmatchedReceiptView> {
  return {
    id: receipt.id,
    carrier: receipt.carrier,
    carrier_message_id: receipt.carrierMessageId,
    state: receipt.state,
    word: receipt.word,
    errorcode: receipt.errorCode,
    source: receipt.source,
    destination: receipt.destination,
    happened_at: receipt.at.toISOString(),
    received_at: receipt.receivedAt.toISOString(),
    tries: receipt.tries,
    next_try_at: receipt.nextTryAt?.toISOString() ?? null
  }
}
