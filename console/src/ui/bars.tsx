import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { useFormats } from '../lib/format.ts'
import { HiddenTable } from './hidden-table.tsx'

/** Counts over time, stacked. Screen readers get the same figures as a table. */
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
