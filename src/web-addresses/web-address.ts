/** As long as platforms and browsers take them. */
export const WEB_ADDRESS_LENGTH_MAX = 2_048

/** The problem is the end of a sentence about the address: "must not…". */
export type ReadWebAddress = { address: string } | { problem: string }

/** Reads an address for people to open. What is written in other letters than ASCII is percent-encoded. */
export function readWebAddress(text: string): ReadWebAddress {
  // URL leaves them out, and the address would be another one than was written.
  if (CONTROL.test(text.trim())) return { problem: 'must not hold line breaks or other control characters' }
  const address = toWebAddress(text)
  const problem = problemOfLength(address.length) ?? problemOfForm(address)
  return problem === undefined ? { address } : { problem }
}

/** What is wrong with an address of that many characters. */
export function problemOfLength(length: number): string | undefined {
  return length > WEB_ADDRESS_LENGTH_MAX ? `must have at most ${WEB_ADDRESS_LENGTH_MAX} characters` : undefined
}

/** What is wrong with an address, its length aside. */
export function problemOfForm(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url) return 'must be a web address, such as https://example.com/page'
  // URL takes "https:example.com" and "https:\\example.com" too; not everything that opens addresses does.
  if (!SCHEME.test(address)) return 'must start with https:// or http://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
  return undefined
}

/** The address as it goes over the wire; what can't be read is left as it is. */
export function toWebAddress(text: string): string {
  const trimmed = text.trim()
  if (!NOT_PLAIN.test(trimmed) || !SCHEME.test(trimmed)) return trimmed
  return URL.parse(trimmed)?.href ?? trimmed
}

const SCHEME = /^https?:\/\//i
const CONTROL = /\p{Cc}/u
/** Spaces, all that is not ASCII, and what programs read in different ways: a backslash is a slash to some. */
const NOT_PLAIN = /[^\x21-\x7e]|["<>\\^`{|}]/
