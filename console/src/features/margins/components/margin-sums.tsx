import { Paper, SimpleGrid, Table, Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import type { MarginSum } from '../sum-margins.ts'

const words = defineWords(
  {
    credits: 'Credits',
    revenue: 'Revenue',
    cost: 'Cost',
    margin: 'Margin',
    rate: 'Margin, %',
    marginIn: (currency: string) => `Margin, ${currency}`,
    noCurrency: 'Without a price',
    pair: (revenue: string, cost: string) => `Revenue ${revenue}, cost ${cost}`,
    price: 'No credit price set',
    noCost: 'Cost unknown',
    units: (count: number) => `No cost for ${counted('en', count, 'unit', 'units')}`,
    currency: 'Cost in another currency'
  },
  {
    credits: 'Crédits',
    revenue: 'Revenu',
    cost: 'Coût',
    margin: 'Marge',
    rate: 'Marge, %',
    marginIn: (currency: string) => `Marge, ${currency}`,
    noCurrency: 'Sans prix',
    pair: (revenue: string, cost: string) => `Revenu ${revenue}, coût ${cost}`,
    price: 'Prix du crédit non défini',
    noCost: 'Coût inconnu',
    units: (count: number) => `${counted('fr', count, 'unité', 'unités')} sans coût`,
    currency: 'Coût dans une autre devise'
  }
)

const NOTHING = '–'

/** The amounts of a sum as they are shown. */
function useAmounts() {
  const say = useWords(words)
  const formats = useFormats()
  return ({ currency, revenue, costs, margin, rate, unknown, unitsWithoutCost }: MarginSum) => {
    const money = (amount: string | null) =>
      amount === null || currency === null ? NOTHING : formats.money(amount, currency)
    const reasons = {
      price: say.price,
      cost: unitsWithoutCost > 0 ? say.units(unitsWithoutCost) : say.noCost,
      currency: say.currency
    }
    return {
      revenue: money(revenue),
      cost: costs.map((one) => formats.money(one.cost, one.currency)).join(' + ') || NOTHING,
      margin: money(margin),
      rate: formats.rate(rate),
      reason: unknown && reasons[unknown]
    }
  }
}

/** The margin of all, for each currency. */
export function MarginTotals({ sums }: { sums: readonly MarginSum[] }) {
  const say = useWords(words)
  const amountsOf = useAmounts()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      {sums.map((sum) => {
        const { revenue, cost, margin, rate, reason } = amountsOf(sum)
        const title = sum.currency === null ? say.noCurrency : say.marginIn(sum.currency)
        return (
          <Paper key={title} withBorder p="md" component="section" aria-label={title}>
            <Text size="sm" c="dimmed">
              {title}
            </Text>
            <Text fz="clamp(1.125rem, 5.6vw, 1.625rem)" lh="2.5rem" fw={700} className="digits">
              {margin}
              {sum.rate !== null && (
                <Text span size="sm" fw={400} ml="xs">
                  {rate}
                </Text>
              )}
            </Text>
            {(revenue !== NOTHING || cost !== NOTHING) && (
              <Text size="sm" c="dimmed">
                {say.pair(revenue, cost)}
              </Text>
            )}
            {reason !== undefined && <Text size="sm">{reason}</Text>}
          </Paper>
        )
      })}
    </SimpleGrid>
  )
}

/** A row for each account or destination, and for each currency of its revenue. The margin comes first: a phone shows two columns. */
export function MarginTable({
  title,
  head,
  sums,
  nameOf
}: {
  title: string
  /** The title of the first column. */
  head: string
  sums: readonly MarginSum[]
  nameOf(key: string): string
}) {
  const say = useWords(words)
  const formats = useFormats()
  const amountsOf = useAmounts()
  return (
    <Card title={title}>
      <Table.ScrollContainer minWidth={620}>
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{head}</Table.Th>
              {[say.margin, say.rate, say.revenue, say.cost, say.credits].map((name) => (
                <Table.Th key={name} scope="col" ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sums.map((sum) => {
              const { revenue, cost, margin, rate, reason } = amountsOf(sum)
              return (
                <Table.Tr key={`${sum.key} ${sum.currency}`}>
                  <Table.Th scope="row" fw={400} miw={112} className="words">
                    {nameOf(sum.key)}
                  </Table.Th>
                  <Table.Td ta="right" className="digits">
                    {margin}
                    {reason !== undefined && (
                      <Text size="xs" c="dimmed">
                        {reason}
                      </Text>
                    )}
                  </Table.Td>
                  {[rate, revenue, cost, formats.number(sum.credits)].map((value, index) => (
                    <Table.Td key={index} ta="right" className="digits">
                      {value}
                    </Table.Td>
                  ))}
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  )
}
