import { Select } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { useMay } from '../../account/api/may.ts'
import { pricedAccountsQuery, priceListsQuery, setPriceList } from '../api/prices.ts'

const words = defineWords(
  {
    title: 'Price list',
    about: 'Applies to messages that are accepted from now on, while the account uses its own credits.',
    none: 'No list of its own',
    another: 'A list of another account',
    saved: 'The price list is saved.'
  },
  {
    title: 'Grille tarifaire',
    about: 'S’applique aux messages acceptés à partir de maintenant, tant que le compte utilise ses propres crédits.',
    none: 'Aucune en propre',
    another: 'Une grille d’un autre compte',
    saved: 'La grille tarifaire est enregistrée.'
  }
)

const NONE = ''
const ANOTHER = 'another'

/** The price list of an account, for whoever is above it. Nothing is shown to somebody without lists. */
export function PriceListForm({ by, id, isClosed }: { by: 'operator' | 'parent'; id: number; isClosed: boolean }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const isOffered = useMay('account')
  const { data: lists = [] } = useQuery({ ...priceListsQuery, enabled: isOffered })
  const { data: accounts } = useQuery({ ...pricedAccountsQuery, enabled: isOffered })
  const change = useMutation({
    mutationFn: (value: string) => setPriceList(by, id, value === NONE ? null : Number(value)),
    onSuccess() {
      notifications.show({ color: 'green', message: say.saved })
      return queries.invalidateQueries({ queryKey: ['prices'] })
    }
  })
  if (!accounts) return null
  const own = accounts.find(({ account_id: accountId }) => accountId === id)
  if (lists.length === 0 && !own) return null
  const isAnother = own !== undefined && own.list_id === null
  return (
    <Card title={say.title} about={say.about}>
      <Select
        aria-label={say.title}
        allowDeselect={false}
        disabled={isClosed || change.isPending}
        value={isAnother ? ANOTHER : String(own?.list_id ?? NONE)}
        onChange={(value) => value !== null && value !== ANOTHER && change.mutate(value)}
        data={[
          { value: NONE, label: say.none },
          ...(isAnother ? [{ value: ANOTHER, label: say.another }] : []),
          ...lists.map((list) => ({ value: String(list.id), label: list.name }))
        ]}
      />
    </Card>
  )
}
