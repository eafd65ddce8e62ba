import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { ExportButton } from '../../../ui/export-button.tsx'
import { ErrorState, PageLoading } from '../../../ui/states.tsx'
import { downloadMyPrices, myPricesQuery } from '../api/prices.ts'
import { PricesTable } from './prices-table.tsx'

const words = defineWords(
  {
    title: 'My prices',
    about: 'Credits for each message, by the beginning of the number. The longest prefix counts.'
  },
  {
    title: 'Mes prix',
    about: 'Les crédits de chaque message, selon le début du numéro. Le préfixe le plus long l’emporte.'
  }
)

export function MyPrices() {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery(myPricesQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  return (
    <Card title={say.title} about={say.about}>
      <PricesTable label={say.title} rows={data} />
      <Group>
        <ExportButton fetchFile={downloadMyPrices} name="prices.csv" />
      </Group>
    </Card>
  )
}
