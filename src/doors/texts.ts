/*
 * Texts as bytes in a character set that the client names. Names are those of browsers (the Encoding standard), which
 * are the usual ones; to them, ISO-8859-1 is Windows-1252.
 */

/** The text of bytes; undefined when the character set is unknown or the bytes are none of it. */
export function decodeText(bytes: Buffer, charset: string): string | undefined {
  try {
    const text = new TextDecoder(charset.trim(), { fatal: true, ignoreBOM: false }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** A text in UTF-8. Clients that never named a character set may send Latin-1, which is no UTF-8. */
export function decodeUtf8OrLatin1(bytes: Buffer): string | undefined {
  return decodeText(bytes, 'utf-8') ?? decodeText(bytes, 'windows-1252')
}
