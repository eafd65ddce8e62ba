/*
 * Amounts are decimal numbers in texts. They are counted as whole millionths, as the service does, so that cents are exact.
 */

const DECIMALS = 6
export const SCALE = 10n ** BigInt(DECIMALS)

/** The price of one credit, as the service tells it. */
export interface UnitPrice {
  price: string
  currency: string
}

/** What so many credits cost. */
export function costOf(credits: number, { price }: UnitPrice): string {
  return toDecimal(toMillionths(price) * BigInt(credits))
}

export function toMillionths(text: string): bigint {
  const [whole = '', decimals = ''] = text.replace('-', '').split('.')
  const size = BigInt(whole) * SCALE + BigInt(decimals.padEnd(DECIMALS, '0'))
  return text.startsWith('-') ? -size : size
}

export function toDecimal(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  return `${amount < 0n ? '-' : ''}${size / SCALE}.${(size % SCALE).toString().padStart(DECIMALS, '0')}`
}
