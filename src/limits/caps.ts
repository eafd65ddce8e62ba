import type { Sql } from '../database/database.ts'
import type { MarketingCap } from '../http/consent-mode.ts'
import { addMarketingUses, type CappedPerson, listMarketingUses, type MarketingUse } from './caps.store.ts'

/*
 * How often the marketing of a transaction reaches each person. Sends of one transaction count for each other. What is read
 * without a lock may be outdated at the end: the database then refuses the write (`CAPPED_MEANWHILE`), and the sends are
 * repeated with locks.
 */

/** A phone of a capped send, and the day on which the message leaves for it, `YYYY-MM-DD`. */
export interface CappedRecipient {
  phone: string
  day: string
}

/** A capped send and the people it goes to. */
export interface CappedSend {
  accountId: number
  cap: MarketingCap
  /** The scheduled message whose place it takes, which does not count. */
  replaces: number | undefined
  people: readonly CappedRecipient[]
}

interface Count extends CappedPerson {
  /** Stored uses. */
  used: number
  /** Sends of this transaction, which may still be refused. */
  taken: number
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
      for (const recipient of send.people) {
        const key = keyOf(send.accountId, recipient.phone)
        if (!this.#people.has(key)) this.#people.set(key, { ...toPerson(send, recipient), used: 0, taken: 0 })
      }
    }
    for (const { accountId, phone, used } of await listMarketingUses(sql, [...this.#people.values()], this.#isLocked)) {
      this.#personOf(accountId, phone).used = used
    }
  }

  /**
   * Whether earlier sends of the transaction decide about this one: one of them leaves for the same person on another day, or
   * takes the last message that the person may get. The earlier ones may still be refused, so this send waits for them.
   */
  isContested({ accountId, cap, people }: CappedSend): boolean {
    return people.some(({ phone, day }) => {
      const person = this.#personOf(accountId, phone)
      return person.day !== day || (person.used < cap.messages && person.used + person.taken >= cap.messages)
    })
  }

  /** The phones that had as much marketing as they may. The others have one more from now on. */
  cappedAmong({ accountId, cap, people }: CappedSend): ReadonlySet<string> {
    const capped = new Set<string>()
    for (const { phone } of people) {
      const person = this.#personOf(accountId, phone)
      if (person.used >= cap.messages) capped.add(phone)
      else person.taken++
    }
    return capped
  }

  /** Counts a send that is stored. */
  count(send: CappedSend, messageId: number): void {
    for (const recipient of send.people) this.#counted.push({ ...toPerson(send, recipient), messageId })
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

const keyOf = (accountId: number, phone: string) => `${accountId} ${phone}`

function toPerson({ accountId, cap, replaces }: CappedSend, { phone, day }: CappedRecipient): CappedPerson {
  return { accountId, phone, day, replaces, ...cap }
}
