/*
 * The arguments of a request, as bytes: `charset` says what the bytes of a text mean, so they must not be decoded
 * before. Of a repeated argument the first counts, as in Kannel and Jasmin.
 */
export class Arguments {
  readonly #values = new Map<string, Buffer>()

  static ofQuery(url: string): Arguments {
    const start = url.indexOf('?')
    return Arguments.ofForm(start < 0 ? '' : url.slice(start + 1))
  }

  /** Of a text with a character for each octet. Some clients send octets as they are, without escapes. */
  static ofForm(text: string): Arguments {
    const found = new Arguments()
    for (const pair of text.split('&')) {
      if (pair === '') continue
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      found.add(decode(name).toString(), equals < 0 ? Buffer.alloc(0) : decode(pair.slice(equals + 1)))
    }
    return found
  }

  add(name: string, value: Buffer): void {
    if (!this.#values.has(name)) this.#values.set(name, value)
  }

  get names(): string[] {
    return [...this.#values.keys()]
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  bytes(name: string): Buffer | undefined {
    return this.#values.get(name)
  }

  /** As UTF-8; of several names, the first that is there. Bytes that are no UTF-8 become U+FFFD. */
  text(...names: string[]): string | undefined {
    for (const name of names) {
      const bytes = this.#values.get(name)
      if (bytes) return bytes.toString()
    }
    return undefined
  }
}

/** Percent-decodes. An escape that is none stays as it is. */
function decode(text: string): Buffer {
  if (!/[%+]/.test(text)) return Buffer.from(text, 'latin1')
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const hex = byte === PERCENT ? hexAt(bytes, at + 1) : undefined
    bytes[length++] = byte === PLUS ? SPACE : (hex ?? byte)
    if (hex !== undefined) at += 2
  }
  return bytes.subarray(0, length)
}

const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

function hexAt(bytes: Buffer, at: number): number | undefined {
  const digits = bytes.toString('latin1', at, at + 2)
  return /^[0-9a-fA-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
}
