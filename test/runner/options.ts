import { parseArgs } from 'node:util'

export interface Options {
  /** Parts of paths; none is every test file. */
  words: readonly string[]
  /** Only tests whose name matches it. */
  name: RegExp | undefined
  isWatching: boolean
}

export function readOptions(parameters: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { name: { type: 'string' }, watch: { type: 'boolean', default: false } }
  })
  return {
    words: positionals,
    name: values.name === undefined ? undefined : new RegExp(values.name, 'i'),
    isWatching: values.watch
  }
}
