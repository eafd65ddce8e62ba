import type { Rule } from './grammar.ts'
import type { Some } from './some.ts'

export interface FaultEffects<Conduct, Action, Link> {
  /** Acts on the link that triggered the rule, or on all links without one. */
  act(action: Action, link: Link | undefined): void
  onChange(change: Partial<Conduct>): void
}

/** The fields of a conduct that pick some of a series. */
type Picking<Conduct> = { [Name in keyof Conduct]: Conduct[Name] extends Some ? Name : never }[keyof Conduct]

interface Parts<Conduct, Action, Link> {
  conduct: Conduct
  /** The conduct that `behave` restores. */
  good: Partial<Conduct>
  parse(script: string): Rule<Conduct, Action>[]
  effects: FaultEffects<Conduct, Action, Link>
}

/** The active rules, the rules that wait for a time or a count, and their counters. */
export class FaultRules<Conduct extends object, Action, Link> {
  conduct: Conduct
  readonly #parts: Parts<Conduct, Action, Link>
  /** The length of each series since its rule was given. */
  readonly #seen = new Map<keyof Conduct, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #countdowns: { left: number; count: number; isRepeated: boolean; rule: Rule<Conduct, Action> }[] = []

  constructor(parts: Parts<Conduct, Action, Link>) {
    this.#parts = parts
    this.conduct = parts.conduct
  }

  /** Applies the whole script, or nothing when it has an error. */
  apply(script: string): void {
    for (const rule of this.#parts.parse(script)) this.#applyRule(rule, undefined)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#countdowns = []
  }

  /** Counts one more unit that rules can wait for. */
  count(link: Link): void {
    if (this.#countdowns.length === 0) return
    const due = this.#countdowns.filter((countdown) => --countdown.left === 0)
    if (due.length === 0) return
    for (const countdown of due) countdown.left = countdown.count
    this.#countdowns = this.#countdowns.filter((countdown) => countdown.isRepeated || !due.includes(countdown))
    for (const { rule } of due) this.#applyRule(rule, link)
  }

  /** Whether the rule picks the current element of its series. The series begins when the rule is given. */
  picks(what: Picking<Conduct>): boolean {
    const { every, times } = this.conduct[what] as Some
    if (times === 0) return false
    const seen = (this.#seen.get(what) ?? 0) + 1
    this.#seen.set(what, seen)
    return seen % every === 0 && seen / every <= times
  }

  #applyRule(rule: Rule<Conduct, Action>, link: Link | undefined): void {
    switch (rule.kind) {
      case 'set':
        this.#change(typeof rule.change === 'function' ? rule.change(this.conduct) : rule.change)
        break
      case 'link':
        this.#parts.effects.act(rule.action, link)
        break
      case 'behave':
        this.stop()
        this.#change(this.#parts.good)
        break
      case 'later':
        if ('ms' in rule.wait) this.#wait(rule, rule.wait.ms)
        else this.#countDown(rule, rule.wait.count)
    }
  }

  #change(change: Partial<Conduct>): void {
    this.conduct = { ...this.conduct, ...change }
    for (const what of Object.keys(change)) this.#seen.delete(what as keyof Conduct)
    this.#parts.effects.onChange(change)
  }

  #countDown({ isRepeated, rule }: Rule<Conduct, Action> & { kind: 'later' }, count: number): void {
    this.#countdowns.push({ left: count, count, isRepeated, rule })
  }

  #wait({ isRepeated, rule }: Rule<Conduct, Action> & { kind: 'later' }, ms: number): void {
    const timer = setTimeout(() => {
      if (isRepeated) timer.refresh()
      else this.#timers.delete(timer)
      this.#applyRule(rule, undefined)
    }, ms)
    this.#timers.add(timer)
  }
}
