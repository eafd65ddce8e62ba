import { STATUSES } from '../../src/smpp/commands.ts'
import type { ReplySplit } from '../smpp/conduct.ts'
import { ID_FORMS, type IdForm } from '../smpp/message-ids.ts'

/** The values of a rule, in the slots that its pattern writes as `<name>`. */
export interface Values {
  count: number
  /** Of `1000th`. */
  nth: number
  /** In milliseconds. */
  duration: number
  /** Of `200/s`. */
  rate: number
  /** Of `2%`. */
  percent: number
  status: number
  form: IdForm
  split: ReplySplit
  words: string[]
  /** An HTTP status. */
  http: number
  /** E.164, with `+`. */
  phone: string
  reports: Report[]
}

/** The reports on an RCS message. */
const REPORTS = ['DELIVERED', 'READ', 'TTL_EXPIRATION_REVOKED', 'TTL_EXPIRATION_REVOKE_FAILED'] as const
export type Report = (typeof REPORTS)[number]

export const NO_VALUES: Values = {
  count: 0,
  nth: 0,
  duration: 0,
  rate: 0,
  percent: 0,
  status: 0,
  form: 'dec',
  split: 'udh',
  words: [],
  http: 0,
  phone: '',
  reports: []
}

const SPLITS = ['udh', 'udh16', 'sar', 'payload'] as const

interface Slot {
  /** For the error when the slot holds something else. */
  description: string
  read(word: string, rest: string[]): Partial<Values> | undefined
}

const SLOTS: Readonly<Record<string, Slot>> = {
  '<count>': {
    description: 'a number, such as 100',
    read: (word) => named('count', readCount(word))
  },
  '<nth>': {
    description: 'which one, such as 1000th',
    read: (word) => named('nth', readCount(/^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1]))
  },
  '<duration>': {
    description: 'a time, such as 50ms, 5s or 2m',
    read: (word) => named('duration', readDuration(word))
  },
  '<rate>': {
    description: 'a rate, such as 200/s',
    read: (word) => named('rate', readCount(/^(\d+)\/s$/.exec(word)?.[1]))
  },
  '<percent>': {
    description: 'a share, such as 2%',
    read: (word) => named('percent', readPercent(word))
  },
  '<status>': {
    description: 'a status, such as ESME_RSYSERR or 0x400',
    read: (word) => named('status', readStatus(word))
  },
  '<form>': {
    description: ID_FORMS.join(', '),
    read: (word) =>
      named(
        'form',
        ID_FORMS.find((form) => form === word)
      )
  },
  '<split>': {
    description: SPLITS.join(', '),
    read: (word) =>
      named(
        'split',
        SPLITS.find((split) => split === word)
      )
  },
  '<words>': {
    description: 'words of receipts, such as ENROUTE DELIVRD',
    read: (_, rest) => named('words', rest.length > 0 ? rest.map((word) => word.toUpperCase()) : undefined)
  },
  '<http>': {
    description: 'a status of HTTP, such as 503',
    read: (word) => named('http', /^[2-5]\d\d$/.test(word) ? Number(word) : undefined)
  },
  '<phone>': {
    description: 'a number with its country code, such as +33639980013',
    read: (word) => named('phone', /^\+?[1-9]\d{6,14}$/.test(word) ? `+${word.replace('+', '')}` : undefined)
  },
  '<reports>': {
    description: REPORTS.join(', '),
    read: (_, rest) => named('reports', readReports(rest))
  }
}

/** Whether this slot takes the rest of the line. */
export function isRest(slot: string | undefined): boolean {
  return slot === '<words>' || slot === '<reports>'
}

/** The value at the beginning of these words, or undefined when none fits. */
export function readSlot(slot: string, words: string[]): Partial<Values> | undefined {
  return SLOTS[slot]?.read(words[0]?.toLowerCase() ?? '', words)
}

/** The expected content of this slot, for error messages. */
export function describe(expected: string): string {
  return SLOTS[expected]?.description ?? expected
}

export function readCount(word = ''): number | undefined {
  const count = Number(word)
  return /^\d+$/.test(word) && count >= 1 && Number.isSafeInteger(count) ? count : undefined
}

function readPercent(word: string): number | undefined {
  const percent = readCount(/^(\d+)%$/.exec(word)?.[1])
  return percent !== undefined && percent <= 100 ? percent : undefined
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

export function readDuration(word: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,7})(ms|s|m)$/.exec(word) ?? []
  return amount === undefined ? undefined : Number(amount) * (UNITS_MS[unit] ?? 0)
}

function readReports(words: string[]): Report[] | undefined {
  const reports = words.map((word) => REPORTS.find((known) => known === word.toUpperCase()))
  return reports.length > 0 && reports.every((report) => report !== undefined) ? reports : undefined
}

function readStatus(word: string): number | undefined {
  const name = Object.keys(STATUSES).find((known) => known.toLowerCase() === word)
  if (name) return STATUSES[name as keyof typeof STATUSES]
  return /^0x[0-9a-f]{1,8}$/.test(word) ? Number(word) : undefined
}

function named<Name extends keyof Values>(name: Name, value: Values[Name] | undefined): Partial<Values> | undefined {
  return value === undefined ? undefined : { [name]: value }
}
