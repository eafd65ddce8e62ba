import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { type ListedBind, listBinds } from './credentials.store.ts'

const BINDS_MAX = 1_000

const SmppBindView = Type.Object(
  {
    id: Type.String(),
    account_id: Type.Integer(),
    system_id: Type.String(),
    mode: Type.Enum(['transmitter', 'receiver', 'transceiver']),
    address: Type.String({ description: 'Where the client is.' }),
    encrypted: Type.Boolean({ description: 'Whether it uses TLS.' }),
    version: Type.String({ description: 'The version of SMPP that the client named, such as `3.4`.' }),
    bound_at: Type.String({ format: 'date-time' }),
    unanswered: Type.Integer({ description: 'Receipts and replies that the client has not answered yet.' })
  },
  { $id: 'SmppBind' }
)

const example = {
  id: '0f5b8a52-6d1c-4a55-9d5f-2b4f8f1f6c11',
  account_id: 7,
  system_id: 'myplatform',
  mode: 'transceiver' as const,
  address: '192.0.2.10',
  encrypted: true,
  version: '3.4',
  bound_at: '2026-11-15T09:30:00.000Z',
  unanswered: 0
}

export const listSmppBinds = operation({
  route: 'GET /smpp/binds',
  id: 'listSmppBinds',
  tag: 'Beyond',
  permission: 'people',
  summary: 'List SMPP binds',
  description: `The binds of this account’s SMPP credentials now, in all processes, the newest first; for the operator those of all accounts. At most ${BINDS_MAX}.`,
  answer: Type.Array(SmppBindView),
  example: { answer: [example] },
  async handle({ caller, database }) {
    const accountId = caller.isOperator ? undefined : caller.accountId
    return (await listBinds(database, { accountId, limit: BINDS_MAX })).map(toBindView)
  }
})

function toBindView({ mode, interfaceVersion, ...bind }: ListedBind) {
  return {
    id: bind.id,
    account_id: bind.accountId,
    system_id: bind.systemId,
    mode: mode as (typeof example)['mode'],
    address: bind.address,
    encrypted: bind.isEncrypted,
    version: `${interfaceVersion >> 4}.${interfaceVersion & 0x0f}`,
    bound_at: bind.boundAt.toISOString(),
    unanswered: bind.waiting
  }
}
