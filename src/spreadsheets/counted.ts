/** How many of a thing a file has, such as `1 price` or `58 prices`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
