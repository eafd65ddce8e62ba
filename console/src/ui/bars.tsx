import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { Text } from '@mantine/core'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { HiddenTable } from './hidden-table.tsx'

const words = defineWords({ none: 'Nothing yet' }, { none: 'Rien pour l’instant' })

/** A single hour would be as wide as the chart. */
const BAR_WIDTH_MAX = 48

/** Counts over time, stacked, or that there are none. Screen readers get the same figures as a table. */
export function Bars<Name extends string>({
  rows,
  series,
  caption,
  head,
  height
}: {
  rows: ({ label: string } & Record<Name, number>)[]
  series: { name: Name; label: string; color: string }[]
  caption: string
  /** What the labels of the rows are. */
  head: string
  height: number
}) {
  const formats = useFormats()
  const say = useWords(words)
  const isEmpty = rows.every((row) => series.every(({ name }) => row[name] === 0))
  if (isEmpty) return <Text c="dimmed">{say.none}</Text>
  return (
    <>
      <BarChart
        aria-hidden
        h={height}
        data={rows}
        dataKey="label"
        type="stacked"
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom' }}
        series={series}
        valueFormatter={formats.number}
        yAxisProps={{ tickFormatter: formats.compact, allowDecimals: false }}
        tooltipAnimationDuration={0}
        maxBarWidth={BAR_WIDTH_MAX}
        barChartProps={{ accessibilityLayer: false }}
      />
      <HiddenTable
        caption={caption}
        head={head}
        names={series.map(({ label }) => label)}
        rows={rows.map((row) => ({ label: row.label, values: series.map(({ name }) => row[name]) }))}
      />
    </>
  )
}
