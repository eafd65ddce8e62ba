/** The longest address that platforms and browsers accept. */
export const WEB_ADDRESS_LENGTH_MAX = 2_048

/** The problem is the end of a sentence about the address: "must not…". */
export type ReadWebAddress = { address: string } | { problem: string }

/** Reads an address that people will open. Letters outside of ASCII are percent-encoded. */
export function readWebAddress(text: string): ReadWebAddress {
  // URL drops them, and the address would be another one than was written.
  if (CONTROL.test(text.trim())) return { problem: 'must not hold line breaks or other control characters' }
  const address = toWebAddress(text)
  const problem = problemOfLength(address.length) ?? problemOfForm(address)
  return problem === undefined ? { address } : { problem }
}

/** The problem of an address of that many characters, if any. */
export function problemOfLength(length: number): string | undefined {
  return length > WEB_ADDRESS_LENGTH_MAX ? `must have at most ${WEB_ADDRESS_LENGTH_MAX} characters` : undefined
}

/** The problem of an address, its length aside. */
export function problemOfForm(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url) return 'must be a web address, such as https://example.com/page'
  // URL accepts "https:example.com" and "https:\\example.com" too; not every program does.
  if (!SCHEME.test(address)) return 'must start with https:// or http://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
  return undefined
}

/** The address as it goes over the wire; an unreadable address is left as it is. */
export function toWebAddress(text: string): string {
  const trimmed = text.trim()
  if (!NOT_PLAIN.test(trimmed) || !SCHEME.test(trimmed)) return trimmed
  return URL.parse(trimmed)?.href ?? trimmed
}

const SCHEME = /^https?:\/\//i
const CONTROL = /\p{Cc}/u
/** Spaces, everything outside of ASCII, and characters that programs read differently: a backslash is a slash to some. */
const NOT_PLAIN = /[^\x21-\x7e]|["<>\\^`{|}]/
