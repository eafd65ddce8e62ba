import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import { type Figures, type FiguresScope, listFiguresByHour, NO_FIGURES } from '../stats/figures.store.ts'
import { listPeriodGroups, type PeriodGroup } from '../stats/groups.store.ts'
import { groupFields } from './message-result.ts'
import { certainRate, resultFields, toResults } from './rates.ts'

const GROUPS_MAX = 100

/** The results of all messages of a period. */
export const PeriodResults = Type.Object(
  {
    totals: Type.Object({
      ...resultFields,
      read: Type.Integer({ description: 'Recipients who read the message.' }),
      failed: Type.Integer({ description: 'Recipients that were not reached: failed, expired or rejected.' }),
      stopped: Type.Integer({ description: 'Recipients that opted out before the message left.' }),
      credits: Type.Integer({ description: 'Credits charged, less refunds.' })
    }),
    hours: Type.Array(
      Type.Object({
        weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' }),
        hour: Type.Integer({ minimum: 0, maximum: 23, description: 'In the account’s time zone.' }),
        ...resultFields
      }),
      {
        description:
          'The hours of the week in which messages with a tracked link were due, the best first: sorted by the lower end of the 95 % interval of their click rate, so that an hour with few deliveries is not the best by chance.'
      }
    ),
    countries: Type.Array(Type.Object({ country: Type.String({ description: 'ISO 3166.' }), ...groupFields }), {
      description: `Messages to two recipients or more, from some hours after they were due. The largest first, as in all of these; at most ${GROUPS_MAX}.`
    }),
    carriers: Type.Array(Type.Object({ carrier: Type.String(), ...groupFields }), {
      description: 'Without recipients that no carrier has got.'
    }),
    errors: Type.Array(Type.Object({ error: Type.String({ description: 'As `errorcode`.' }), ...groupFields })),
    links: Type.Array(
      Type.Object({
        link: Type.String({ description: 'Where the tracked link of messages leads, at most 500 characters of it.' }),
        ...groupFields,
        clicked: Type.Integer({ description: 'Recipients that opened it; of a `common` link, visitors.' })
      })
    )
  },
  { $id: 'PeriodResults' }
)

export async function readPeriod(
  sql: Sql,
  { timeZone, ...scope }: FiguresScope & { timeZone: string }
): Promise<Static<typeof PeriodResults>> {
  const [rows, groups] = await Promise.all([
    listFiguresByHour(sql, { ...scope, timeZone }),
    listPeriodGroups(sql, scope, { limit: GROUPS_MAX })
  ])
  const by = (name: PeriodGroup) => groups.filter((group) => group.by === name)
  const totals = rows.reduce<Figures>(add, NO_FIGURES)
  const { read, failed, stopped, credits } = totals
  return {
    totals: { ...toResults(totals), read, failed, stopped, credits },
    hours: rows
      .filter(({ deliveredWithLink }) => deliveredWithLink > 0)
      .map((row) => ({ row, worth: certainRate(row.clicked, row.deliveredWithLink) }))
      .toSorted((a, b) => b.worth - a.worth || a.row.weekday - b.row.weekday || a.row.hour - b.row.hour)
      .map(({ row }) => ({ weekday: row.weekday, hour: row.hour, ...toResults(row) })),
    countries: by('country').map(({ by: _, value, ...counts }) => ({ country: value, ...counts })),
    carriers: by('carrier').map(({ by: _, value, ...counts }) => ({ carrier: value, ...counts })),
    errors: by('error').map(({ by: _, value, ...counts }) => ({ error: value, ...counts })),
    links: by('link').map(({ by: _, value, ...counts }) => ({ link: value, ...counts }))
  }
}

function add(sum: Figures, figures: Figures): Figures {
  const names = Object.keys(sum) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + figures[name]])) as unknown as Figures
}
