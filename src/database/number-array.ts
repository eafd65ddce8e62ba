/** An array of numbers as PostgreSQL's text for it: the driver would make a text of each. For `${numberArray(xs)}::integer[]`. */
export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`
}
