/*
 * Counts the rows of a workbook in the browser, so that an import says how many rows it stores. A workbook is a ZIP archive; its
 * first sheet is unpacked piece by piece, and its row tags are counted. Only the count matters here: the service reads the cells.
 */

const END_BYTES = 22
/** The end of an archive may be followed by a comment of this length. */
const COMMENT_BYTES_MAX = 65_535
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const SIGNATURES = { end: 0x06054b50, entry: 0x02014b50 }
const DEFLATED = 8
const STORED = 0
/** Of the list of parts, and of a part that names the sheets. */
const SMALL_BYTES_MAX = 4_000_000

interface Entry {
  method: number
  packedBytes: number
  /** Of its local header. */
  at: number
}

/** The rows below the header; null for a file that is not a workbook as we know it. */
export async function countWorkbookRows(file: Blob): Promise<number | null> {
  try {
    const entries = await listEntries(file)
    const sheet = entries.get(await findSheet(file, entries))
    if (!sheet) return null
    return Math.max(0, (await countTags(await open(file, sheet))) - 1)
  } catch {
    // A damaged file is the service's to refuse, in words: here it only has no count.
    return null
  }
}

async function viewOf(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer())
}

async function listEntries(file: Blob): Promise<Map<string, Entry>> {
  const tail = await viewOf(file, Math.max(0, file.size - END_BYTES - COMMENT_BYTES_MAX), file.size)
  let end = tail.byteLength - END_BYTES
  while (end >= 0 && tail.getUint32(end, true) !== SIGNATURES.end) end--
  if (end < 0) throw new Error('no ZIP archive')
  const listBytes = tail.getUint32(end + 12, true)
  const listAt = tail.getUint32(end + 16, true)
  if (listBytes > SMALL_BYTES_MAX) throw new Error('too many parts')
  const list = await viewOf(file, listAt, listAt + listBytes)
  const entries = new Map<string, Entry>()
  for (let at = 0; at + ENTRY_BYTES <= list.byteLength && list.getUint32(at, true) === SIGNATURES.entry; ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => list.getUint16(at + place, true)) as [
      number,
      number,
      number
    ]
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, at + ENTRY_BYTES, nameBytes))
    entries.set(name, {
      method: list.getUint16(at + 10, true),
      packedBytes: list.getUint32(at + 20, true),
      at: list.getUint32(at + 42, true)
    })
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes
  }
  return entries
}

async function open(file: Blob, { method, packedBytes, at }: Entry): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const local = await viewOf(file, at, at + LOCAL_BYTES)
  const from = at + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true)
  const packed = file.slice(from, from + packedBytes).stream()
  if (method === STORED) return packed
  if (method !== DEFLATED) throw new Error('packed in a way that we do not know')
  return packed.pipeThrough(new DecompressionStream('deflate-raw'))
}

/** The first sheet in the order of the tabs, as the service finds it. */
async function findSheet(file: Blob, entries: ReadonlyMap<string, Entry>): Promise<string> {
  const textOf = async (name: string) => {
    const entry = entries.get(name)
    if (!entry || entry.packedBytes > SMALL_BYTES_MAX) return ''
    return new Response(await open(file, entry)).text()
  }
  const first = /<(?:\w+:)?sheet\s[^>]*/.exec(await textOf('xl/workbook.xml'))?.[0] ?? ''
  const id = attribute(first, '\\w+:id')
  const links = (await textOf('xl/_rels/workbook.xml.rels')).match(/<(?:\w+:)?Relationship\s[^>]*/g) ?? []
  const link = links.find((each) => attribute(each, 'Id') === id) ?? ''
  const target = attribute(link, 'Target') ?? 'worksheets/sheet1.xml'
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1]
}

const [OPEN, COLON] = [0x3c, 0x3a]
const ROW = [0x72, 0x6f, 0x77]
/** `>`, `/`, and what separates a tag from its attributes. */
const AFTER_NAME = new Set([0x3e, 0x2f, 0x20, 0x09, 0x0a, 0x0d])

/** Instead of how many letters of the name have come: not within a name, or within another name. */
const [OUTSIDE, ANOTHER] = [-1, -2]

/** Counts `<row>`, with attributes and with a prefix, wherever the pieces are cut. */
async function countTags(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> {
  const reader = stream.getReader()
  let count = 0
  let matched: number = OUTSIDE
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return count
    for (const byte of value) {
      if (byte === OPEN) matched = 0
      else if (matched === OUTSIDE) continue
      else if (AFTER_NAME.has(byte)) {
        if (matched === ROW.length) count++
        matched = OUTSIDE
      } else if (byte === COLON) matched = 0
      else matched = byte === ROW[matched] ? matched + 1 : ANOTHER
    }
  }
}
