import type { Rule } from './grammar.ts'
import type { Some } from './some.ts'

export interface FaultEffects<Conduct, Action, Link> {
  /** Of the link that made the rule apply, or of all. */
  act(action: Action, link: Link | undefined): void
  onChange(change: Partial<Conduct>): void
}

/** What of a conduct picks some of a series. */
type Picking<Conduct> = { [Name in keyof Conduct]: Conduct[Name] extends Some ? Name : never }[keyof Conduct]

interface Parts<Conduct, Action, Link> {
  conduct: Conduct
  /** What `behave` goes back to. */
  good: Partial<Conduct>
  parse(script: string): Rule<Conduct, Action>[]
  effects: FaultEffects<Conduct, Action, Link>
}

/** The rules that apply now, those that wait for their moment, and the counts they need. */
export class FaultRules<Conduct extends object, Action, Link> {
  conduct: Conduct
  readonly #parts: Parts<Conduct, Action, Link>
  /** Since the rule was given, how many there were of what it picks from. */
  readonly #seen = new Map<keyof Conduct, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #countdowns: { left: number; count: number; isRepeated: boolean; rule: Rule<Conduct, Action> }[] = []

  constructor(parts: Parts<Conduct, Action, Link>) {
    this.#parts = parts
    this.conduct = parts.conduct
  }

  /** All of the script, or nothing when it has an error. */
  apply(script: string): void {
    for (const rule of this.#parts.parse(script)) this.#applyRule(rule, undefined)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#countdowns = []
  }

  /** One more of those that rules can wait for. */
  count(link: Link): void {
    if (this.#countdowns.length === 0) return
    const due = this.#countdowns.filter((countdown) => --countdown.left === 0)
    if (due.length === 0) return
    for (const countdown of due) countdown.left = countdown.count
    this.#countdowns = this.#countdowns.filter((countdown) => countdown.isRepeated || !due.includes(countdown))
    for (const { rule } of due) this.#applyRule(rule, link)
  }

  /** Whether the one that is there now is one of those meant. Counts from when the rule was given. */
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
