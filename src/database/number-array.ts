/**
 * An array of numbers as PostgreSQL's text for it, in one step instead of number by number:
 * `${numberArray(xs)}::integer[]`.
 */
export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`
}
