/** A step along the digits of a number. */
interface Step {
  credits: number | undefined
  next: (Step | undefined)[]
}

/** Finds the price of the longest prefix of a number: one step a digit, without a copy of the number. */
export class Prefixes {
  readonly #root: Step = { credits: undefined, next: [] }

  add(prefix: string, credits: number): void {
    let step = this.#root
    for (const digit of prefix) {
      const index = Number(digit)
      step.next[index] ??= { credits: undefined, next: [] }
      step = step.next[index]
    }
    step.credits = credits
  }

  /** The number is E.164, with `+`. */
  find(e164: string): number | undefined {
    let step: Step | undefined = this.#root
    let found = step.credits
    for (let at = 1; at < e164.length; at++) {
      step = step.next[e164.charCodeAt(at) - ZERO]
      if (!step) break
      if (step.credits !== undefined) found = step.credits
    }
    return found
  }
}

const ZERO = 48
