import { fileForm } from './file-form.ts'
import type { TestAccount } from './service.ts'

/** The file of a price list; a row is such as `sms,33,1`. */
export function priceFile(...rows: string[]): string {
  return `kind,prefix,credits\n${rows.join('\n')}\n`
}

/** Makes a price list, and returns its id. */
export async function makePriceList(account: TestAccount, name: string, ...rows: string[]): Promise<number> {
  const { body } = await account.expect(200).post('/price-lists', fileForm(priceFile(...rows), { name }))
  return body.list.id
}
