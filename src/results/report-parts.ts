import type { Static } from 'typebox'
import type { Report, Table } from '../reports/report.ts'
import type { GroupCounts } from '../stats/groups.store.ts'
import type { Results } from './rates.ts'
import type { ReportWords } from './report-words.ts'

/* The parts that the reports of messages and of periods share. */

/** The four rates, each with its counts. */
export function rateFigures(results: Static<typeof Results>, { say, number, rate }: ReportWords): Report['figures'] {
  const { sent, delivered, clicked, replied, opted_out } = results
  const figure = (name: string, value: number | null, [part, whole]: [number, number]) => {
    return { name, value: rate(value), detail: say.of(number(part), number(whole)) }
  }
  return [
    figure(say.delivery_rate, results.delivery_rate, [delivered, sent]),
    { name: say.click_rate, value: rate(results.click_rate), detail: say.fact(say.clicked, number(clicked)) },
    figure(say.reply_rate, results.reply_rate, [replied, delivered]),
    figure(say.opt_out_rate, results.opt_out_rate, [opted_out, delivered])
  ]
}

const GROUPS_SHOWN = 15

interface Groups {
  countries: readonly (GroupCounts & { country: string })[]
  carriers: readonly (GroupCounts & { carrier: string })[]
  errors: readonly (GroupCounts & { error: string })[]
  links?: readonly (GroupCounts & { link: string })[]
}

/** A table for each kind of group. */
export function groupTables({ countries, carriers, errors, links }: Groups, words: ReportWords): Table[] {
  const { say, country } = words
  const kinds: [title: string, groups: NamedCounts[] | undefined][] = [
    [say.country, countries.map((row) => ({ ...row, name: country(row.country) }))],
    [say.carrier, carriers.map((row) => ({ ...row, name: row.carrier }))],
    [say.error, errors.map((row) => ({ ...row, name: row.error }))],
    [say.links, links?.map((row) => ({ ...row, name: row.link }))]
  ]
  return kinds.flatMap(([title, groups]) => (groups ? [groupTable(title, groups, words)] : []))
}

type NamedCounts = GroupCounts & { name: string }

/** The largest groups of one kind. */
function groupTable(title: string, groups: readonly NamedCounts[], { say, number }: ReportWords): Table {
  return {
    title,
    columns: ['', say.recipients, say.sent, say.delivered, say.failed, say.clicked],
    rows: groups
      .slice(0, GROUPS_SHOWN)
      .map(({ name, recipients, sent, delivered, failed, clicked }) => [
        name,
        ...[recipients, sent, delivered, failed, clicked].map(number)
      ]),
    none: say.none
  }
}
