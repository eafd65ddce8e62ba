import { IconReceiptOff } from '@tabler/icons-react'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Unmatched } from '../api/operator.ts'

const words = defineWords(
  {
    title: 'Receipts without a match',
    none: 'Every receipt has found its message',
    noneHint: 'Receipts for unknown messages appear here.',
    when: 'Received',
    carrier: 'Carrier',
    id: 'Id',
    word: 'Status',
    phone: 'Phone',
    tries: 'Tries'
  },
  {
    title: 'Accusés sans message',
    none: 'Chaque accusé a trouvé son message',
    noneHint: 'Les accusés de messages inconnus apparaissent ici.',
    when: 'Reçu',
    carrier: 'Opérateur',
    id: 'Identifiant',
    word: 'Statut',
    phone: 'Téléphone',
    tries: 'Essais'
  }
)

export function UnmatchedReceipts({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const columns: Column<Unmatched>[] = [
    {
      key: 'when',
      title: say.when,
      width: '170px',
      cell: ({ received_at: at }) => <span className="digits">{formats.moment(at)}</span>
    },
    { key: 'carrier', title: say.carrier, width: '120px', isWide: true, cell: ({ carrier }) => carrier },
    { key: 'id', title: say.id, width: 'minmax(0, 1fr)', isWide: true, cell: ({ carrier_message_id: id }) => id },
    { key: 'word', title: say.word, width: '120px', cell: ({ word }) => word },
    {
      key: 'phone',
      title: say.phone,
      width: '160px',
      isWide: true,
      cell: ({ source }) => <NumberLink number={source} />
    },
    { key: 'tries', title: say.tries, width: '70px', isWide: true, align: 'right', cell: ({ tries }) => tries }
  ]
  return (
    <DataTable<Unmatched>
      label={say.title}
      columns={columns}
      queryKey={['unmatched']}
      fetchPage={(page, signal) => call('listUnmatchedReceipts', { query: page, signal })}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={<IconReceiptOff size={28} aria-hidden />} title={say.none}>
          {say.noneHint}
        </EmptyState>
      }
    />
  )
}
