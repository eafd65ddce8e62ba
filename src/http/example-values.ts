import type { InputProblem } from '../errors.ts'

/** A longer example would hide the problem. */
const LENGTH_MAX = 60
/** A value of the wrong type. All other problems already say what would be right. */
const WRONG_TYPE = /^must be (?:an? |true or false)(?!.*such as)/

/** Adds to each problem of type the value of the operation's own example in that place. */
export function withExampleValues(problems: readonly InputProblem[], example: unknown): InputProblem[] {
  return problems.map((problem) => {
    const value = WRONG_TYPE.test(problem.message) ? valueAt(example, problem.path) : undefined
    const shown = value === undefined ? '' : JSON.stringify(value)
    if (shown === '' || shown.length > LENGTH_MAX) return problem
    return { path: problem.path, message: `${problem.message}, such as ${shown}` }
  })
}

/** The example may have fewer items than the request: its first item stands for all. */
function valueAt(example: unknown, path: string): unknown {
  let value = example
  for (const [, name = '', index] of path.matchAll(/(?:^|\.)([^.[\]]+)|\[(\d+)\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined
    if (index === undefined) value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    else value = Array.isArray(value) ? (value[Number(index)] ?? value[0]) : undefined
  }
  return value
}
