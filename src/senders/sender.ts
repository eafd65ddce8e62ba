import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

/*
 * A sender that an account declares. It waits for a decision; `approved` and `disabled` bind messages, as the mode of the
 * account says.
 *
 *   waiting → approved ⇄ disabled
 *   waiting → refused → approved
 */
export const SENDER_STATES = ['waiting', 'approved', 'refused', 'disabled'] as const
export type SenderState = (typeof SENDER_STATES)[number]

const SENDER_PURPOSES = ['any', 'marketing', 'transactional'] as const
/** What a sender is used for. */
export type SenderPurpose = (typeof SENDER_PURPOSES)[number]

/** A row of `senders`. */
export interface Sender {
  id: number
  accountId: number
  name: string
  countries: string[]
  use: SenderPurpose
  proof: string
  proofLink: string
  /** The name of the file; null without one. */
  proofFile: string | null
  state: SenderState
  reason: string
  isByOperator: boolean
  createdAt: Date
  decidedAt: Date | null
}

/** What is told about a name before anybody is asked. */
export interface Finding {
  kind: 'generic' | 'forbidden' | 'reserved' | 'taken' | 'looks-like' | 'granted' | 'country'
  message: string
  /** The other name; null if the finding is about none. */
  name: string | null
  /** The account of the other name. Only for people who decide. */
  accountId: number | null
  /** The country whose rules it is about; null for other kinds. */
  country: string | null
}

export const FindingView = Type.Object(
  {
    kind: Type.Enum(['generic', 'forbidden', 'reserved', 'taken', 'looks-like', 'granted', 'country'], {
      description: '`forbidden` and `reserved` names are refused; the others are for whoever decides.'
    }),
    message: Type.String(),
    name: Nullable(Type.String({ description: 'The other name that it is about.' })),
    account_id: Nullable(Type.Integer({ description: 'The account of the other name; only for whoever decides.' })),
    country: Nullable(Type.String({ description: 'The country of the rules, for `country`; null for other kinds.' }))
  },
  { $id: 'SenderFinding' }
)

export const StateSchema = Type.Enum([...SENDER_STATES])
export const PurposeSchema = Type.Enum([...SENDER_PURPOSES], { description: 'The messages that it is for.' })

const senderFields = {
  id: Type.Integer(),
  name: Type.String(),
  countries: Type.Array(Type.String(), { description: 'ISO codes; empty for every country.' }),
  use: PurposeSchema,
  proof: Type.String(),
  link: Type.String(),
  file: Nullable(Type.String({ description: 'The name of the file that was added as a proof.' })),
  state: StateSchema,
  reason: Type.String({ description: 'Why it was refused or disabled.' }),
  created_at: Type.String({ format: 'date-time' }),
  decided_at: Nullable(Type.String({ format: 'date-time' }))
}

export const SenderView = Type.Object({ ...senderFields, findings: Type.Array(FindingView) }, { $id: 'Sender' })

export function toFindingView({ kind, message, name, accountId, country }: Finding, { isForDecider = false } = {}) {
  return { kind, message, name, account_id: isForDecider ? accountId : null, country }
}

export function toSenderView(
  sender: Sender,
  findings: readonly Finding[],
  { isForDecider = false } = {}
): Static<typeof SenderView> {
  return {
    id: sender.id,
    name: sender.name,
    countries: sender.countries,
    use: sender.use,
    proof: sender.proof,
    link: sender.proofLink,
    file: sender.proofFile,
    state: sender.state,
    reason: sender.reason,
    created_at: sender.createdAt.toISOString(),
    decided_at: sender.decidedAt?.toISOString() ?? null,
    findings: findings.map((finding) => toFindingView(finding, { isForDecider }))
  }
}

export const senderExample: Static<typeof SenderView> = {
  id: 5,
  name: 'MYSHOP',
  countries: ['FR'],
  use: 'any',
  proof: 'Our registered trade mark, number 4567890.',
  link: 'https://shop.example/legal',
  file: null,
  state: 'waiting',
  reason: '',
  created_at: '2026-11-15T09:30:00.000Z',
  decided_at: null,
  findings: []
}
