/** A number or agent that people write to. With `+`, with `00` and without either, it is the same number. */
export function withoutPrefix(number: string): string {
  return number.trim().replace(/^(\+|00)/, '')
}
