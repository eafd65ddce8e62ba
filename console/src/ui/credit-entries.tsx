import { Anchor, Text } from '@mantine/core'
import { IconCoins } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { type Column, DataTable, type PageOf } from './data-table.tsx'
import { EmptyState } from './states.tsx'

type Entry = Schemas['CreditEntry']

const words = defineWords(
  {
    title: 'History of credits',
    when: 'Date',
    what: 'Movement',
    type: 'Type',
    amount: 'Amount',
    balance: 'Balance',
    reference: 'Reference',
    message: (id: string) => `Message ${id}`,
    fallback: (id: string) => `Message ${id}, SMS fallback`,
    delivered: (id: string) => `Message ${id}, RCS delivered after its SMS`,
    subAccount: (id: number) => `Sub-account ${id}`,
    by: (name: string) => `by ${name}`,
    none: 'No movement yet',
    reasons: {
      opening: 'Opening',
      issue: 'Added',
      withdrawal: 'Removed',
      transfer: 'Transferred',
      reserve: 'Reserved',
      spend: 'Charged',
      refund: 'Refunded',
      settle: 'Reservation closed'
    } as Record<Entry['reason'], string>
  },
  {
    title: 'Historique des crédits',
    when: 'Date',
    what: 'Mouvement',
    type: 'Type',
    amount: 'Montant',
    balance: 'Solde',
    reference: 'Référence',
    message: (id: string) => `Message ${id}`,
    fallback: (id: string) => `Message ${id}, SMS de repli`,
    delivered: (id: string) => `Message ${id}, RCS délivré après son SMS`,
    subAccount: (id: number) => `Sous-compte ${id}`,
    by: (name: string) => `par ${name}`,
    none: 'Aucun mouvement',
    reasons: {
      opening: 'Ouverture',
      issue: 'Ajout',
      withdrawal: 'Retrait',
      transfer: 'Transfert',
      reserve: 'Réservé',
      spend: 'Débité',
      refund: 'Remboursé',
      settle: 'Réservation close'
    } as Record<Entry['reason'], string>
  }
)

/** As the ledger names the message behind a movement: `message 37`, `message 37 fallback 8`. */
const REFERENCE = /^message (\d+)(?: (fallback|delivered) \d+)?$/
const MINUS = '−'

/** Every movement of credits, newest first. */
export function CreditEntries({
  queryKey,
  fetchPage,
  timeZone,
  isOwn = false
}: {
  queryKey: readonly unknown[]
  fetchPage(page: { page: number; limit: number }): Promise<PageOf<Entry>>
  timeZone: string | undefined
  /** The messages are those of the reader, who can open them. */
  isOwn?: boolean
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const digits = (value: number, isSigned = false) => (
    <span className="digits">
      {isSigned && value > 0 && '+'}
      {formats.number(value).replace('-', MINUS)}
    </span>
  )
  const typeOf = ({ msgType }: Entry) => (msgType === 1 ? 'SMS' : 'RCS')
  const messageOf = ({ reference }: Entry) => {
    const [, id, way] = REFERENCE.exec(reference ?? '') ?? []
    return id === undefined
      ? undefined
      : { id, name: say[(way ?? 'message') as 'message' | 'fallback' | 'delivered'](id) }
  }
  const aboutOf = (entry: Entry) => {
    const { reference, subaccount_id: below, note, made_by: by } = entry
    const parts = [messageOf(entry)?.name ?? reference, below && say.subAccount(below), note, by && say.by(by)]
    return parts.filter(Boolean).join(' · ')
  }
  const columns: Column<Entry>[] = [
    {
      key: 'when',
      title: say.when,
      width: '172px',
      isWide: true,
      cell: ({ created_at: at }) => <span className="digits">{formats.moment(at)}</span>
    },
    {
      key: 'when, in lines',
      title: say.when,
      // On a phone the day and the time are two lines: in one, the time was cut off.
      width: 'minmax(0, 1fr)',
      isNarrow: true,
      cell: ({ created_at: at }) => (
        <span className="digits" style={{ whiteSpace: 'normal' }}>
          {formats.moment(at)}
        </span>
      )
    },
    {
      key: 'what',
      title: say.what,
      width: 'minmax(0, 1.25fr)',
      cell: (entry, isNarrow) => (
        <>
          {isNarrow ? (
            <span style={{ whiteSpace: 'normal' }}>{say.reasons[entry.reason]}</span>
          ) : (
            say.reasons[entry.reason]
          )}
          {isNarrow && (
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal' }} lineClamp={2}>
              {[typeOf(entry), aboutOf(entry)].filter(Boolean).join(' · ')}
            </Text>
          )}
        </>
      )
    },
    {
      key: 'reference',
      title: say.reference,
      width: 'minmax(0, 2fr)',
      isWide: true,
      cell: (entry) => {
        const about = aboutOf(entry)
        const message = isOwn && !entry.subaccount_id ? messageOf(entry) : undefined
        return (
          <span className="cut" title={about}>
            {message && (
              <Anchor component={Link} to={`/messages/${message.id}`} inherit>
                {message.name}
              </Anchor>
            )}
            {about.slice(message?.name.length ?? 0)}
          </span>
        )
      }
    },
    {
      key: 'type',
      title: say.type,
      width: '60px',
      isWide: true,
      cell: typeOf
    },
    { key: 'amount', title: say.amount, width: '84px', align: 'right', cell: ({ amount }) => digits(amount, true) },
    {
      key: 'balance',
      title: say.balance,
      width: '100px',
      isWide: true,
      align: 'right',
      cell: ({ balance }) => digits(balance)
    }
  ]
  return (
    <DataTable<Entry>
      label={say.title}
      columns={columns}
      queryKey={queryKey}
      fetchPage={fetchPage}
      rowKey={({ id }) => id}
      height={416}
      rowHeight={44}
      narrowRowHeight={88}
      empty={<EmptyState icon={<IconCoins size={28} aria-hidden />} title={say.none} />}
    />
  )
}
