/** Credits by the country of their recipients, as its ISO code. */
export type CreditsByCountry = Readonly<Record<string, number>>

/** What the credits of a message are for. Statements tell it. */
export interface CreditUse {
  sender: string
  countries: CreditsByCountry
}

/** Nearly all messages are for one country. */
export function onlyCountry(use: CreditUse | undefined): string | null {
  if (!use) return null
  let only: string | null = null
  for (const country in use.countries) {
    if (only !== null) return null
    only = country
  }
  return only
}

/** The credits of each country, if there are several. */
export function manyCountries(use: CreditUse | undefined): string | null {
  return use && onlyCountry(use) === null ? JSON.stringify(use.countries) : null
}
