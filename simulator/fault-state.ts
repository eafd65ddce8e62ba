import { type Conduct, GOOD_CONDUCT, type Some } from './conduct.ts'
import { type LinkAction, parseFaults, type Rule } from './faults.ts'
import type { SmscSession } from './smsc-session.ts'

export interface FaultEffects {
  /** Of the link that made the rule apply, or of all. */
  act(action: LinkAction, link: SmscSession | undefined): void
  onChange(change: Partial<Conduct>): void
}

type Counted = 'droppedAnswers' | 'droppedReceipts' | 'refusedSubmits' | 'refusedBinds'

/** The rules that apply now, those that wait for their moment, and the counts they need. */
export class FaultState {
  conduct: Conduct
  readonly #good: Omit<Conduct, 'nextId'>
  readonly #effects: FaultEffects
  readonly #seen: Record<Counted, number> = {
    droppedAnswers: 0,
    droppedReceipts: 0,
    refusedSubmits: 0,
    refusedBinds: 0
  }
  readonly #timers = new Set<NodeJS.Timeout>()
  #countdowns: { left: number; submits: number; isRepeated: boolean; rule: Rule }[] = []
  #tokens = 0
  #tokensAt = 0

  constructor(good: Partial<Omit<Conduct, 'nextId'>>, effects: FaultEffects) {
    this.#good = { ...GOOD_CONDUCT, ...good }
    this.conduct = { ...this.#good, nextId: 0 }
    this.#effects = effects
  }

  /** All of the script, or nothing when it has an error. */
  apply(script: string): void {
    for (const rule of parseFaults(script)) this.#applyRule(rule, undefined)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#countdowns = []
  }

  countSubmit(session: SmscSession): void {
    if (this.#countdowns.length === 0) return
    const due = this.#countdowns.filter((countdown) => --countdown.left === 0)
    if (due.length === 0) return
    for (const countdown of due) countdown.left = countdown.submits
    this.#countdowns = this.#countdowns.filter((countdown) => countdown.isRepeated || !due.includes(countdown))
    for (const { rule } of due) this.#applyRule(rule, session)
  }

  /** Whether the one that is there now is one of those meant. Counts from when the rule was given. */
  picks(what: Counted): boolean {
    const { every, times }: Some = this.conduct[what]
    if (times === 0) return false
    const seen = ++this.#seen[what]
    return seen % every === 0 && seen / every <= times
  }

  /** Takes a token of the bucket, which holds those of one second. */
  takeToken(): boolean {
    const rate = this.conduct.submitsPerSecondMax
    if (rate === 0) return true
    const now = performance.now()
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#tokensAt) * rate) / 1_000)
    this.#tokensAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  #applyRule(rule: Rule, session: SmscSession | undefined): void {
    switch (rule.kind) {
      case 'set':
        this.#change(rule.change)
        break
      case 'link':
        this.#effects.act(rule.action, session)
        break
      case 'behave':
        this.stop()
        this.#change(this.#good)
        break
      case 'later':
        if ('ms' in rule.wait) this.#wait(rule, rule.wait.ms)
        else this.#count(rule, rule.wait.submits)
    }
  }

  #change(change: Partial<Conduct>): void {
    this.conduct = { ...this.conduct, ...change }
    for (const what of Object.keys(this.#seen) as Counted[]) if (what in change) this.#seen[what] = 0
    if (change.submitsPerSecondMax !== undefined) {
      this.#tokens = change.submitsPerSecondMax
      this.#tokensAt = performance.now()
    }
    this.#effects.onChange(change)
  }

  #count({ isRepeated, rule }: Rule & { kind: 'later' }, submits: number): void {
    this.#countdowns.push({ left: submits, submits, isRepeated, rule })
  }

  #wait({ isRepeated, rule }: Rule & { kind: 'later' }, ms: number): void {
    const timer = setTimeout(() => {
      if (isRepeated) timer.refresh()
      else this.#timers.delete(timer)
      this.#applyRule(rule, undefined)
    }, ms)
    this.#timers.add(timer)
  }
}
