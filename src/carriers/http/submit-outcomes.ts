import type { SubmitOutcome } from '../carrier.ts'
import type { Answer } from '../exchange.ts'
import type { AnswerRule, HttpAnswer } from './http-settings.ts'
import { parseExactJson, parsePath, shorten, textAtPath, toText, type ValuePath, valuesAt } from './value-paths.ts'

/*
 * What an answer means for a message. The rules of the carriers file come first, in their order. Without one that fits,
 * the status decides:
 *
 * | answer                            | means                                                                   |
 * | 2xx                               | accepted                                                                |
 * | 429                               | throttled: sending slows down                                           |
 * | 408, 425                          | temporary: it was not read                                              |
 * | 1xx, 3xx, 401 to 405, 407         | temporary: it is about our access or the address, not about the message |
 * | other 4xx                         | refused                                                                 |
 * | 5xx                               | in doubt: it may have been taken before                                 |
 * | none, before anything was written | temporary                                                               |
 * | none                              | in doubt                                                                |
 */

export type HttpOutcome = Extract<SubmitOutcome, { kind: 'accepted' | 'retry' | 'rejected' | 'in-doubt' }>

export interface ReadAnswer {
  outcome: HttpOutcome
  /** Whether the provider works: it answers, and lets us in. */
  isWorking: boolean
  isThrottled: boolean
}

type Meaning = AnswerRule['means']

/** The provider does not let us in, or is not at this address. */
const ACCESS = new Set([401, 402, 403, 404, 405, 407])
const NOT_READ = new Set([408, 425])

const DELAY_SECONDS = { throttled: 2, temporary: 10 }
const ID_LENGTH_MAX = 255
const IDS_MAX = 255
const REASON_LENGTH_MAX = 200
const NO_ID = 'The provider accepted it without an id.'

interface Rule extends Omit<AnswerRule, 'field'> {
  field: ValuePath | undefined
}

export class AnswerReader {
  readonly #rules: Rule[]
  readonly #id: ValuePath | undefined
  readonly #code: ValuePath | undefined
  readonly #reason: ValuePath | undefined

  constructor({ rules, id, code, reason }: HttpAnswer) {
    this.#rules = rules.map((rule) => ({ ...rule, field: toPath(rule.field) }))
    this.#id = toPath(id)
    this.#code = toPath(code)
    this.#reason = toPath(reason)
  }

  /** `ownId` names the message where the provider gives no id of its own. */
  read(answer: Answer, ownId: string): ReadAnswer {
    if (answer.kind === 'failed') return { outcome: toFailure(answer), isWorking: false, isThrottled: false }
    const body = parseBody(answer.text)
    const rule = this.#rules.find((candidate) => fits(candidate, answer.status, body))
    const means = rule?.means ?? meaningOf(answer.status)
    return {
      outcome: this.#toOutcome(means, { answer, body, ownId, delay: rule?.delay }),
      isWorking: rule !== undefined || !(answer.status >= 500 || means === 'temporary'),
      isThrottled: means === 'throttled'
    }
  }

  #toOutcome(
    means: Meaning,
    { answer, body, ownId, delay }: { answer: Answered; body: unknown; ownId: string; delay: number | undefined }
  ): HttpOutcome {
    switch (means) {
      case 'accepted': {
        const carrierMessageIds = this.#id === undefined ? [ownId] : idsAt(body, this.#id)
        return carrierMessageIds.length > 0
          ? { kind: 'accepted', carrierMessageIds }
          : { kind: 'in-doubt', reason: NO_ID }
      }
      case 'throttled':
      case 'temporary': {
        const delaySeconds = Math.max(1, answer.retryAfterSeconds ?? delay ?? DELAY_SECONDS[means])
        return { kind: 'retry', reason: this.#reasonOf(answer, body), delaySeconds }
      }
      case 'refused':
        // The code alone: `tryNextOn` of a route compares it.
        return { kind: 'rejected', reason: this.#codeOf(answer, body), carrierMessageIds: [] }
      case 'in-doubt':
        return { kind: 'in-doubt', reason: this.#reasonOf(answer, body) }
      default:
        return means satisfies never
    }
  }

  /** The provider's code, or else the status. */
  #codeOf({ status }: Answered, body: unknown): string {
    const code = inOneLine(textAtPath(body, this.#code))
    return code === '' ? `HTTP ${status}` : code
  }

  /** The code and the provider's words. */
  #reasonOf(answer: Answered, body: unknown): string {
    return inOneLine(`${this.#codeOf(answer, body)} ${textAtPath(body, this.#reason)}`)
  }
}

/** Control characters would break lines of the log. */
function inOneLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
    .toWellFormed()
    .trim()
}

type Answered = Extract<Answer, { kind: 'answered' }>

function toFailure({ reason, isUnsent }: Extract<Answer, { kind: 'failed' }>): HttpOutcome {
  const sentence = `The provider ${reason}.`
  if (!isUnsent) return { kind: 'in-doubt', reason: sentence }
  return { kind: 'retry', reason: sentence, delaySeconds: DELAY_SECONDS.throttled, isUntried: true }
}

function meaningOf(status: number): Meaning {
  if (status >= 200 && status < 300) return 'accepted'
  if (status === 429) return 'throttled'
  if (status < 400 || ACCESS.has(status) || NOT_READ.has(status)) return 'temporary'
  return status < 500 ? 'refused' : 'in-doubt'
}

function fits({ status, field, is }: Rule, answered: number, body: unknown): boolean {
  if (status !== undefined && !isStatus(status, answered)) return false
  if (field === undefined) return true
  const values = valuesAt(body, field).map(toText)
  return is === undefined ? values.length > 0 : values.some((value) => is.includes(value))
}

function isStatus(written: string, status: number): boolean {
  return written.endsWith('xx') ? written[0] === String(status)[0] : written === String(status)
}

function idsAt(body: unknown, path: ValuePath): string[] {
  const ids = valuesAt(body, path).map((value) => shorten(toText(value), ID_LENGTH_MAX))
  return ids.filter((id) => id !== '').slice(0, IDS_MAX)
}

function toPath(text: string | undefined): ValuePath | undefined {
  return text === undefined ? undefined : parsePath(text)
}

/** A body that can't be read holds nothing. */
function parseBody(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
