/** Enough to correct in one go, and a log line has to end somewhere. */
const SENTENCES_MAX = 100

/** Everything that is wrong with a carriers file, a sentence each, in the order of its lines. */
export class CarriersFileMistakes extends Error {
  readonly mistakes: string[]

  constructor(mistakes: string[]) {
    super(mistakes.join('\n'))
    this.name = 'CarriersFileMistakes'
    this.mistakes = mistakes
  }
}

/** In words that follow the name of the place, without the full stop. A function where finding the words takes time. */
export type Problem = string | (() => string)

/** Gathers the mistakes of one file. */
export class Mistakes {
  readonly #file: string
  readonly #found: { line: number; path: string; problem: Problem }[] = []

  constructor(file: string) {
    this.#file = file
  }

  get count(): number {
    return this.#found.length
  }

  add({ line }: { line: number }, path: string, problem: Problem): void {
    this.#found.push({ line, path, problem })
  }

  throwIfAny(): void {
    if (this.#found.length === 0) return
    const inOrder = this.#found.toSorted((one, other) => one.line - other.line)
    const sentences = inOrder.slice(0, SENTENCES_MAX).map(({ line, path, problem }) => {
      const place = path === '' ? '' : `, ${path}`
      return `${this.#file}, line ${line}${place}: ${typeof problem === 'string' ? problem : problem()}.`
    })
    const more = inOrder.length - sentences.length
    if (more > 0)
      sentences.push(`${this.#file}: there ${more === 1 ? 'is 1 more mistake' : `are ${more} more mistakes`}.`)
    throw new CarriersFileMistakes(sentences)
  }
}

/** Longer values are recognised by their beginning. */
const SHOWN_MAX = 60

/** A value as it stands in a sentence. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}

/** The known word that was probably meant, for the end of a problem; empty if none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = distanceBetween(bare(word), bare(candidate))
    if (distance < least && distance <= Math.max(2, candidate.length / 3)) {
      least = distance
      nearest = candidate
    }
  }
  return nearest === undefined ? '' : `; perhaps ${JSON.stringify(nearest)} is meant`
}

/** `system_id` is `systemId`. Cut, because the time below is the product of the lengths. */
function bare(word: string): string {
  return word.slice(0, 40).toLowerCase().replaceAll(/[_-]/g, '')
}

/** Levenshtein: how many characters to put in, take out or replace. */
function distanceBetween(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const current = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
