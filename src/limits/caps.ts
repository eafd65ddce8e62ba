import type { Sql } from '../database/database.ts'
import type { MarketingCap } from '../http/consent-mode.ts'
import { addMarketingUses, type CappedPerson, listMarketingUses, type MarketingUse } from './caps.store.ts'

/*
 * How often the marketing of a transaction reaches each person. Sends of one transaction count for each other. What is read
 * without a lock may be outdated at the end: the database then refuses the write (`CAPPED_MEANWHILE`), and the sends are
 * repeated with locks.
 */

/** A capped send and the people it goes to. */
export interface CappedSend {
  accountId: number
  cap: MarketingCap
  departsAt: Date
  phones: readonly string[]
}

interface Count extends CappedPerson {
  used: number
}

export class Caps {
  readonly #isLocked: boolean
  readonly #people = new Map<string, Count>()
  #counted: MarketingUse[] = []

  constructor({ isLocked }: { isLocked: boolean }) {
    this.#isLocked = isLocked
  }

  async load(sql: Sql, sends: readonly CappedSend[]): Promise<void> {
    for (const send of sends) {
      for (const phone of send.phones) {
        const key = keyOf(send.accountId, phone)
        if (!this.#people.has(key)) this.#people.set(key, { ...toPerson(send, phone), used: 0 })
      }
    }
    for (const { accountId, phone, used } of await listMarketingUses(sql, [...this.#people.values()], this.#isLocked)) {
      this.#personOf(accountId, phone).used = used
    }
  }

  /** Whether a send leaves on another day than an earlier send of the transaction to one of its people. */
  isContested(send: CappedSend): boolean {
    const day = dayOf(send)
    return send.phones.some((phone) => this.#personOf(send.accountId, phone).day !== day)
  }

  /** The phones that had as much marketing as they may. The others have one more from now on. */
  cappedAmong({ accountId, cap, phones }: CappedSend): ReadonlySet<string> {
    const capped = new Set<string>()
    for (const phone of phones) {
      const person = this.#personOf(accountId, phone)
      if (person.used >= cap.messages) capped.add(phone)
      else person.used++
    }
    return capped
  }

  /** Counts a send that is stored. */
  count(send: CappedSend, messageId: number): void {
    for (const phone of send.phones) this.#counted.push({ ...toPerson(send, phone), messageId })
  }

  /** Stores what was counted. */
  async write(sql: Sql): Promise<void> {
    const counted = this.#counted
    this.#counted = []
    await addMarketingUses(sql, counted)
  }

  #personOf(accountId: number, phone: string): Count {
    return this.#people.get(keyOf(accountId, phone)) as Count
  }
}

/** The day on which a send departs, as the database reads it. */
export function dayOf({ departsAt }: { departsAt: Date }): string {
  return departsAt.toISOString().slice(0, 10)
}

const keyOf = (accountId: number, phone: string) => `${accountId} ${phone}`

function toPerson(send: CappedSend, phone: string): CappedPerson {
  return { accountId: send.accountId, phone, day: dayOf(send), ...send.cap }
}
