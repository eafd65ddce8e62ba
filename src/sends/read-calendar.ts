import Type from 'typebox'
import { canonicalTimeZone } from '../accounts/time-zone.ts'
import { invalidInput } from '../errors.ts'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { operation } from '../http/operation.ts'
import { MESSAGE_STATES } from '../messages/message.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type CalendarDay, type CalendarRow, listCampaignsByDay } from './calendar.store.ts'

/** Six weeks: what a page with a month shows. */
const DAYS_MAX = 42
const LISTED_MAX = 20
const COUNT_MAX = 1_000

const Campaign = Type.Object(
  {
    id: Type.Integer({ description: 'The id of the message.' }),
    name: Nullable(Type.String()),
    preview: Type.String({ description: 'The beginning of its text, up to 160 characters.' }),
    channel: Type.Enum(['sms', 'rcs']),
    state: Type.Enum(MESSAGE_STATES),
    is_paused: Type.Boolean(),
    scheduled_at: Type.String({ format: 'date-time', description: 'When it is due, or was.' }),
    recipients_count: Type.Integer(),
    is_departing: Type.Boolean({
      description: 'Whether its people are found when it departs: its `recipients_count` is 0 until then.'
    })
  },
  { $id: 'CalendarCampaign' }
)

export const readCalendar = operation({
  route: 'GET /calendar',
  id: 'readCalendar',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Campaigns by day',
  description:
    'What is scheduled and what was sent, by day, with empty days, oldest first: messages with a name, to more than 50 recipients, or that waited for their time. A message is on the day it is due. By default 30 days up to today; at most 42. Each day lists its first 20, and counts up to 1,000.',
  query: Type.Object({
    ...DayRangeQuery,
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Whose days these are, such as `Europe/Paris`. Default: the account’s.'
      })
    )
  }),
  answer: Type.Object(
    {
      time_zone: Type.String(),
      days: Type.Array(
        Type.Object({
          day: Type.String({ description: 'YYYY-MM-DD in the time zone.' }),
          campaigns_count: Type.Integer({ description: 'How many there are; 1,000 also when there are more.' }),
          campaigns: Type.Array(Campaign)
        })
      )
    },
    { $id: 'Calendar' }
  ),
  example: {
    answer: {
      time_zone: 'Europe/Paris',
      days: [
        {
          day: '2026-12-24',
          campaigns_count: 1,
          campaigns: [
            {
              id: 7,
              name: 'Winter sale',
              preview: 'Soldes dès demain',
              channel: 'sms',
              state: 'scheduled',
              is_paused: false,
              scheduled_at: '2026-12-24T09:00:00.000Z',
              recipients_count: 1_200,
              is_departing: false
            }
          ]
        }
      ]
    }
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { accountId } = caller
    const timeZone = readZone(query.time_zone) ?? caller.timeZone
    const { first, count } = readDayRange(query, timeZone)
    if (count > DAYS_MAX) {
      throw invalidInput([{ path: 'from', message: `must be within ${DAYS_MAX} days up to \`to\`` }])
    }
    const days = Array.from({ length: count }, (_, index) => toDay(first.add({ days: index }), timeZone))
    const rows = await listCampaignsByDay(database, { accountId, days, listedMax: LISTED_MAX, countMax: COUNT_MAX })
    const byDay = Map.groupBy(rows, ({ day }) => day)
    return {
      time_zone: timeZone,
      days: days.map(({ day }) => {
        const campaigns = byDay.get(day) ?? []
        return { day, campaigns_count: campaigns[0]?.campaignsCount ?? 0, campaigns: campaigns.map(toCampaign) }
      })
    }
  }
})

function toCampaign(row: CalendarRow) {
  return {
    id: row.id,
    name: row.name,
    preview: row.preview,
    channel: row.channel,
    state: row.state,
    is_paused: row.pausedAt !== null,
    scheduled_at: row.scheduledAt.toISOString(),
    recipients_count: row.recipientsCount,
    is_departing: row.isDeparting
  }
}

function toDay(day: Temporal.PlainDate, timeZone: string): CalendarDay {
  const begin = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds)
  return { day: day.toString(), from: begin(day), before: begin(day.add({ days: 1 })) }
}

function readZone(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const timeZone = canonicalTimeZone(given)
  if (timeZone === undefined) {
    throw invalidInput([{ path: 'time_zone', message: 'must be the name of a time zone, such as Europe/Paris' }])
  }
  return timeZone
}
