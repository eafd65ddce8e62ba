import type { ParseArgsOptionsConfig } from 'node:util'
import type { Io } from './io.ts'

export interface Arguments {
  /** The words after the command. */
  words: readonly string[]
  /** The options as they were given. */
  given: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
}

export interface Command {
  /** How it is called, such as `recipients <message id>`. */
  usage: string
  summary: string
  options?: ParseArgsOptionsConfig
  /** The least and the most words that it takes. */
  words?: readonly [least: number, most: number]
  run(args: Arguments, io: Io): Promise<number>
}

export const OUTPUT_OPTIONS = {
  output: { type: 'string', short: 'o' }
} as const satisfies ParseArgsOptionsConfig

/** The texts of an option that may be given several times. */
export function textsOf(value: Arguments['given'][string]): string[] {
  return [value].flat().filter((each) => typeof each === 'string')
}

export function textOf(value: Arguments['given'][string]): string | undefined {
  return textsOf(value).at(-1)
}
