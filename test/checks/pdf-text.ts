import { inflateSync } from 'node:zlib'

/** The texts of a PDF with the standard fonts, in the order in which they were written. */
export function readPdfTexts(pdf: Buffer): string[] {
  const source = pdf.toString('latin1')
  const words = new TextDecoder('windows-1252')
  const texts: string[] = []
  for (const { index, 0: begin } of source.matchAll(/stream\r?\n/g)) {
    if (source.slice(index - 3, index) === 'end') continue
    const from = index + begin.length
    const stream = pdf.subarray(from, source.indexOf('endstream', from))
    // Texts are arrays of hexadecimal strings, with the space between them: [<4c69656e> 50 <3a> 0] TJ.
    for (const [, parts = ''] of inflate(stream).matchAll(/\[([^\]]*)\] TJ/g)) {
      const hex = [...parts.matchAll(/<([0-9a-f]*)>/g)].map(([, part]) => part).join('')
      texts.push(words.decode(Buffer.from(hex, 'hex')))
    }
  }
  return texts
}

function inflate(stream: Buffer): string {
  try {
    return inflateSync(stream).toString('latin1')
  } catch {
    // Not compressed, such as metadata.
    return ''
  }
}
