/* The surroundings of the command line, as values: tests run commands in their own process. */

export interface Io {
  env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  /** For people: progress and errors. What is written here never mixes with the result. */
  err(text: string): void
  /** Asks a question at the terminal. Undefined where there is none: then nothing is ever asked. */
  ask: ((question: string, options?: { isHidden?: boolean }) => Promise<string>) | undefined
  /** Reads all of the standard input. */
  readInput(): Promise<string>
  /** Whether progress may be drawn. */
  isTerminal: boolean
  /** Ends commands that run until they are stopped. */
  signal: AbortSignal
}

/** What a program that runs `chappe` can tell from its exit. */
export const EXIT = {
  done: 0,
  /** The service refused, or something is wrong. */
  refused: 1,
  /** The command is not written as it should be. */
  usage: 2,
  /** Not logged in, or the credentials are wrong. */
  unauthorized: 3,
  /** The service can't be reached. */
  unreachable: 4
} as const

/** A command that is not written as it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** There are no credentials. */
export class NotLoggedIn extends Error {
  override readonly name = 'NotLoggedIn'
}
