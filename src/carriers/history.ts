import { boundedLabel } from '../metrics/bounded-label.ts'
import type { SubmitOutcome } from './carrier.ts'

/*
 * What the carriers of one process did since it was last stored. It is counted in memory: a statement for each message would
 * cost more than the message. A process that dies loses what it has not stored, some seconds of it.
 */

/** Countries and error codes that are told apart in one process; carriers choose from thousands of codes. */
const COUNTRIES_MAX = 250
const ERRORS_MAX = 200
/** An error code is whatever the carrier writes. */
const ERROR_CHARACTERS_MAX = 64

export interface CarrierCounted {
  accepted: number
  rejected: number
  retried: number
  unanswered: number
  answerSeconds: number
  delivered: number
  undelivered: number
  receiptSeconds: number
}

export interface CountedKey {
  carrier: string
  country: string
}

export interface CountedError extends CountedKey {
  error: string
  recipients: number
}

export interface Counted {
  figures: (CountedKey & CarrierCounted)[]
  errors: CountedError[]
}

interface OfCountry extends CarrierCounted {
  errors: Map<string, number>
}

function nothing(): OfCountry {
  return {
    accepted: 0,
    rejected: 0,
    retried: 0,
    unanswered: 0,
    answerSeconds: 0,
    delivered: 0,
    undelivered: 0,
    receiptSeconds: 0,
    errors: new Map()
  }
}

export class CarrierHistory {
  #carriers = new Map<string, Map<string, OfCountry>>()
  readonly #countryLabel = boundedLabel(COUNTRIES_MAX)
  readonly #errorLabel = boundedLabel(ERRORS_MAX)

  /** A submit was answered, or got no answer. */
  onOutcome(carrier: string, outcome: SubmitOutcome, { country, seconds }: { country: string; seconds: number }): void {
    const counts = this.#of(carrier, country)
    switch (outcome.kind) {
      case 'accepted':
        counts.accepted++
        counts.answerSeconds += seconds
        return
      case 'rejected':
      case 'unreachable':
        counts.rejected++
        counts.answerSeconds += seconds
        this.#countError(counts, outcome.reason)
        return
      case 'retry':
        if (outcome.isUntried) return
        counts.retried++
        this.#countError(counts, outcome.reason)
        return
      case 'in-doubt':
        counts.unanswered++
        return
      case 'expired':
        return
      default:
        outcome satisfies never
    }
  }

  /** A final receipt came. */
  onReceipt(carrier: string, { country, isDelivered, errorCode, seconds }: ReceiptCounted): void {
    const counts = this.#of(carrier, country)
    counts.receiptSeconds += seconds
    if (isDelivered) counts.delivered++
    else {
      counts.undelivered++
      this.#countError(counts, errorCode)
    }
  }

  /** Takes what was counted: from now on, all begins at zero. */
  take(): Counted {
    const taken = this.#carriers
    this.#carriers = new Map()
    const figures: Counted['figures'] = []
    const errors: CountedError[] = []
    for (const [carrier, countries] of taken) {
      for (const [country, { errors: ofCountry, ...counts }] of countries) {
        figures.push({ carrier, country, ...counts })
        for (const [error, recipients] of ofCountry) errors.push({ carrier, country, error, recipients })
      }
    }
    return { figures, errors }
  }

  /** Counts again what could not be stored. */
  giveBack({ figures, errors }: Counted): void {
    for (const { carrier, country, ...given } of figures) {
      const counts = this.#of(carrier, country)
      for (const name of Object.keys(given) as (keyof CarrierCounted)[]) counts[name] += given[name]
    }
    for (const { carrier, country, error, recipients } of errors) {
      const counts = this.#of(carrier, country)
      counts.errors.set(error, (counts.errors.get(error) ?? 0) + recipients)
    }
  }

  #of(carrier: string, country: string): OfCountry {
    const found = this.#carriers.get(carrier)?.get(country)
    if (found) return found
    const label = this.#countryLabel(country)
    const countries = this.#carriers.get(carrier) ?? new Map<string, OfCountry>()
    const counts = countries.get(label) ?? nothing()
    this.#carriers.set(carrier, countries.set(label, counts))
    return counts
  }

  #countError(counts: OfCountry, text: string): void {
    const error = this.#errorLabel(text.slice(0, ERROR_CHARACTERS_MAX))
    counts.errors.set(error, (counts.errors.get(error) ?? 0) + 1)
  }
}

export interface ReceiptCounted {
  country: string
  isDelivered: boolean
  errorCode: string
  seconds: number
}
