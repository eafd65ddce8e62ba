import Type from 'typebox'

/*
 * Money is a whole number of millionths of a currency, so that sums are exact. It is shown with the decimals of the currency by
 * ISO 4217, and with more where there are more.
 */

const DECIMALS = 6
const SCALE = 10n ** BigInt(DECIMALS)
/** A million of the currency for one message is a mistake. */
const UNIT_MAX = 1_000_000n * SCALE

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

export const MoneyText = Type.String({
  maxLength: 20,
  description: 'A decimal number with up to 6 decimals, such as `0.0475`.'
})

export const Currency = Type.String({ minLength: 3, maxLength: 3, description: 'ISO 4217, such as `EUR`.' })

export const MONEY_PROBLEM = 'must be a number from 0 to 1000000 with up to 6 decimals, such as 0.0475'

export function isCurrency(text: string): boolean {
  return CURRENCIES.has(text)
}

/** Undefined for a text that is no price of one thing. */
export function parseMoney(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,7})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const amount = BigInt(whole) * SCALE + BigInt(decimals.padEnd(DECIMALS, '0'))
  return amount <= UNIT_MAX ? amount : undefined
}

export function formatMoney(amount: bigint, currency: string): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const digits = (size % SCALE).toString().padStart(DECIMALS, '0')
  const least = decimalsOf(currency)
  let end = DECIMALS
  while (end > least && digits[end - 1] === '0') end--
  const shown = digits.slice(0, end)
  return `${sign}${size / SCALE}${shown === '' ? '' : `.${shown}`}`
}

function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}
