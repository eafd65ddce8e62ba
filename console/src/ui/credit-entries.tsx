import { IconCoins } from '@tabler/icons-react'
import type { Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { type Column, DataTable, type PageOf } from './data-table.tsx'
import { EmptyState } from './states.tsx'

type Entry = Schemas['CreditEntry']

const words = defineWords(
  {
    title: 'History of credits',
    when: 'When',
    what: 'Movement',
    type: 'Type',
    amount: 'Amount',
    balance: 'Balance',
    reference: 'Reference',
    subAccount: (id: number) => `sub-account ${id}`,
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
      settle: 'Charged'
    } as Record<Entry['reason'], string>
  },
  {
    title: 'Historique des crédits',
    when: 'Quand',
    what: 'Mouvement',
    type: 'Type',
    amount: 'Montant',
    balance: 'Solde',
    reference: 'Référence',
    subAccount: (id: number) => `sous-compte ${id}`,
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
      settle: 'Débité'
    } as Record<Entry['reason'], string>
  }
)

/** Every movement of credits, newest first. */
export function CreditEntries({
  queryKey,
  fetchPage,
  timeZone
}: {
  queryKey: readonly unknown[]
  fetchPage(page: { page: number; limit: number }): Promise<PageOf<Entry>>
  timeZone: string | undefined
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const digits = (value: number, isSigned = false) => (
    <span className="digits">{isSigned && value > 0 ? `+${formats.number(value)}` : formats.number(value)}</span>
  )
  const columns: Column<Entry>[] = [
    {
      key: 'when',
      title: say.when,
      // On a phone the day and the time are two lines: in one, the time was cut off.
      width: 'minmax(112px, 172px)',
      cell: ({ created_at: at }) => (
        <span className="digits" style={{ whiteSpace: 'normal' }}>
          {formats.moment(at)}
        </span>
      )
    },
    { key: 'what', title: say.what, width: 'minmax(96px, 1fr)', cell: ({ reason }) => say.reasons[reason] },
    {
      key: 'reference',
      title: say.reference,
      width: 'minmax(0, 2fr)',
      isWide: true,
      cell: ({ reference, subaccount_id: below, note, made_by: by }) => {
        const about = [reference, below && say.subAccount(below), note, by && say.by(by)].filter(Boolean).join(' · ')
        return (
          <span className="cut" title={about}>
            {about}
          </span>
        )
      }
    },
    {
      key: 'type',
      title: say.type,
      width: '60px',
      isWide: true,
      cell: ({ msgType }) => (msgType === 1 ? 'SMS' : 'RCS')
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
      empty={<EmptyState icon={<IconCoins size={28} aria-hidden />} title={say.none} />}
    />
  )
}
