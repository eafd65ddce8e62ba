import { Text } from '@mantine/core'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import classes from './bars.module.css'
import { HiddenTable } from './hidden-table.tsx'

const words = defineWords({ none: 'None' }, { none: 'Aucun' })

/** More labels than this overlap on a phone. */
const LABELS_MAX = 4

/**
 * Counts over time, stacked, or that there are none. Screen readers get the same figures as a table. Plain boxes: a library of
 * charts weighs more than the rest of the page.
 */
export function Bars<Name extends string>({
  rows,
  series,
  caption,
  head,
  height,
  isNamed
}: {
  rows: ({ label: string } & Record<Name, number>)[]
  series: { name: Name; label: string; color: string }[]
  caption: string
  /** What the labels of the rows are. */
  head: string
  height: number
  /** Which bars have their label below; without it, some from the newest backwards. */
  isNamed?: ((index: number) => boolean) | undefined
}) {
  const formats = useFormats()
  const say = useWords(words)
  const totalOf = (row: Record<Name, number>) => series.reduce((sum, { name }) => sum + row[name], 0)
  const highest = Math.max(0, ...rows.map(totalOf))
  if (highest === 0) return <Text c="dimmed">{say.none}</Text>
  const top = roundUp(highest)
  const every = Math.ceil(rows.length / LABELS_MAX)
  // Counted from the end: the newest bar is named.
  const hasLabel = isNamed ?? ((index: number) => (rows.length - 1 - index) % every === 0)
  const describe = (row: (typeof rows)[number]) =>
    [row.label, ...series.map(({ name, label }) => `${label}: ${formats.number(row[name])}`)].join('\n')
  return (
    <>
      <div aria-hidden>
        <div className={classes.chart} style={{ height }}>
          <div className={classes.ticks}>
            <span>{formats.compact(top)}</span>
            {top > 1 && <span>{formats.compact(top / 2)}</span>}
            <span>0</span>
          </div>
          <div className={classes.bars}>
            {rows.map((row) => (
              <div key={row.label} className={classes.slot} title={describe(row)}>
                {series.toReversed().map(({ name, color }) => (
                  <div key={name} style={{ height: `${(row[name] / top) * 100}%`, background: colorOf(color) }} />
                ))}
              </div>
            ))}
          </div>
          <div className={classes.labels}>
            {rows.map(({ label }, index) => (
              <span key={label} className={classes.label}>
                {hasLabel(index) && <span>{label}</span>}
              </span>
            ))}
          </div>
        </div>
        {series.length > 1 && (
          <div className={classes.legend}>
            {series.map(({ name, label, color }) => (
              <span key={name}>
                <span className={classes.key} style={{ background: colorOf(color) }} />
                {label}
              </span>
            ))}
          </div>
        )}
      </div>
      <HiddenTable
        caption={caption}
        head={head}
        names={series.map(({ label }) => label)}
        rows={rows.map((row) => ({ label: row.label, values: series.map(({ name }) => row[name]) }))}
      />
    </>
  )
}

/** `teal.6` is a shade of the theme. */
function colorOf(color: string): string {
  return `var(--mantine-color-${color.replace('.', '-')})`
}

/** The next number that is easy to read and to halve: 1, 2, 4, 6, 8 or 10 times a power of ten. */
function roundUp(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 2, 4, 6, 8, 10].find((step) => step * power >= highest) ?? 10
  return step * power
}
