/* A report as PDF: A4 pages with a title, figures, bar charts and tables. It knows nothing of messages. */

export interface Report {
  /** Above the title: whose report it is. */
  head?: { lines: readonly string[]; logo: Buffer | undefined }
  title: string
  /** Below the title, a line each. */
  about: string[]
  figures: { name: string; value: string; detail: string }[]
  charts: Chart[]
  tables: Table[]
  /** At the foot of each page, before its number. */
  foot: string
}

export interface Chart {
  title: string
  bars: { label: string; value: number; shown: string }[]
}

export interface Table {
  title: string
  /** The first column is wide and to the left, the others are numbers. */
  columns: string[]
  rows: string[][]
  /** Instead of rows, when there are none. */
  none: string
}

const MARGIN = 48
const WIDTH = 595.28 - 2 * MARGIN
const BOTTOM = 841.89 - MARGIN - 24
const INK = '#1a1b1e'
const DIM = '#5c5f66'
const LINE = '#d0d4da'
const BAR = '#0b7a75'
const CHART_HEIGHT = 110
const LABELS_MAX = 12
const NUMBER_WIDTH = 62
const ROW_GAP = 5

export async function writeReport(report: Report, language: 'en' | 'fr'): Promise<Buffer> {
  // Only a process that writes a report pays for its fonts: they take some megabytes.
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: 'A4',
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN },
    bufferPages: true,
    lang: language,
    info: { Title: toPrintable(report.title), Creator: 'Chappe' }
  })
  const ended = collect(doc)
  const pen = { doc }
  if (report.head) writeLetterhead(pen, report.head)
  writeHead(pen, report)
  writeFigures(pen, report.figures)
  for (const chart of report.charts) drawChart(pen, chart)
  for (const table of report.tables) writeTable(pen, table)
  writeFeet(pen, report.foot)
  doc.end()
  return ended
}

interface Pen {
  doc: PDFKit.PDFDocument
}

async function collect(doc: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of doc) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const LOGO_WIDTH = 140
const LOGO_HEIGHT = 48

/** The logo at the left, the lines at the right. */
function writeLetterhead({ doc }: Pen, { lines, logo }: NonNullable<Report['head']>): void {
  const top = doc.y
  if (logo) doc.image(logo, MARGIN, top, { fit: [LOGO_WIDTH, LOGO_HEIGHT] })
  doc.font('Helvetica').fontSize(9.5).fillColor(DIM)
  const x = MARGIN + LOGO_WIDTH + 20
  doc.y = top
  for (const line of lines) doc.text(toPrintable(line), x, doc.y, { width: WIDTH - LOGO_WIDTH - 20, align: 'right' })
  doc.x = MARGIN
  doc.y = Math.max(doc.y, logo ? top + LOGO_HEIGHT : top) + 18
}

function writeHead({ doc }: Pen, { title, about }: Report): void {
  doc.font('Helvetica-Bold').fontSize(18).fillColor(INK).text(toPrintable(title), { width: WIDTH })
  doc.font('Helvetica').fontSize(9.5).fillColor(DIM)
  for (const line of about) doc.text(toPrintable(line), { width: WIDTH })
  doc.moveDown(1)
}

function writeFigures({ doc }: Pen, figures: Report['figures']): void {
  if (figures.length === 0) return
  const width = WIDTH / figures.length
  const top = doc.y
  figures.forEach(({ name, value, detail }, index) => {
    const x = MARGIN + index * width
    const options = { width: width - 8, lineBreak: false, ellipsis: true }
    doc.font('Helvetica').fontSize(8.5).fillColor(DIM).text(toPrintable(name), x, top, options)
    doc
      .font('Helvetica-Bold')
      .fontSize(17)
      .fillColor(INK)
      .text(toPrintable(value), x, top + 12, options)
    doc
      .font('Helvetica')
      .fontSize(8.5)
      .fillColor(DIM)
      .text(toPrintable(detail), x, top + 33, options)
  })
  doc.x = MARGIN
  doc.y = top + 54
}

/** Bars from the left to the right, the largest as high as the chart. Of many bars only some have a label. */
function drawChart(pen: Pen, { title, bars }: Chart): void {
  const { doc } = pen
  needRoom(pen, CHART_HEIGHT + 60)
  writeTitle(pen, title)
  const top = doc.y + 10
  const bottom = top + CHART_HEIGHT
  const largest = bars.reduce<Chart['bars'][number] | undefined>(
    (best, bar) => (best && best.value >= bar.value ? best : bar),
    undefined
  )
  doc
    .moveTo(MARGIN, bottom)
    .lineTo(MARGIN + WIDTH, bottom)
    .lineWidth(0.5)
    .stroke(LINE)
  const step = WIDTH / Math.max(bars.length, 8)
  const labelEach = Math.ceil(bars.length / LABELS_MAX)
  doc.font('Helvetica').fontSize(7)
  bars.forEach((bar, index) => {
    const x = MARGIN + index * step
    const height = largest && largest.value > 0 ? (bar.value / largest.value) * (CHART_HEIGHT - 12) : 0
    if (height > 0) doc.rect(x + step * 0.1, bottom - height, step * 0.8, height).fill(BAR)
    doc.fillColor(DIM)
    const isFarLast = index === bars.length - 1 && index % labelEach >= labelEach / 2
    if (index % labelEach === 0 || isFarLast) {
      doc.text(toPrintable(bar.label), x, bottom + 4, { width: step * labelEach, lineBreak: false, ellipsis: true })
    }
    if (bar === largest && bar.value > 0) {
      doc.text(toPrintable(bar.shown), Math.min(x, MARGIN + WIDTH - 40), bottom - height - 9, { lineBreak: false })
    }
  })
  doc.x = MARGIN
  doc.y = bottom + 24
}

function writeTable(pen: Pen, { title, columns, rows, none }: Table): void {
  const { doc } = pen
  needRoom(pen, 60)
  writeTitle(pen, title)
  if (rows.length === 0) {
    doc.font('Helvetica').fontSize(9).fillColor(DIM).text(toPrintable(none), MARGIN, doc.y, { width: WIDTH })
    doc.moveDown(1)
    return
  }
  writeRow(pen, columns, { font: 'Helvetica', color: DIM })
  for (const row of rows) {
    // The columns are named again on a new page.
    if (needRoom(pen, 24)) writeRow(pen, columns, { font: 'Helvetica', color: DIM })
    writeRow(pen, row, { font: 'Helvetica', color: INK })
  }
  doc.y += 12
}

function writeRow({ doc }: Pen, cells: readonly string[], { font, color }: { font: string; color: string }): void {
  const first = WIDTH - (cells.length - 1) * NUMBER_WIDTH
  const top = doc.y
  doc.font(font).fontSize(9).fillColor(color)
  cells.forEach((cell, index) => {
    const isFirst = index === 0
    const x = isFirst ? MARGIN : MARGIN + first + (index - 1) * NUMBER_WIDTH
    const width = isFirst ? first - 8 : NUMBER_WIDTH
    doc.text(toPrintable(cell), x, top, {
      width,
      align: isFirst ? 'left' : 'right',
      height: 11,
      lineBreak: false,
      ellipsis: true
    })
  })
  const bottom = top + 11 + ROW_GAP / 2
  doc
    .moveTo(MARGIN, bottom)
    .lineTo(MARGIN + WIDTH, bottom)
    .lineWidth(0.5)
    .stroke(LINE)
  doc.x = MARGIN
  doc.y = bottom + ROW_GAP / 2
}

function writeTitle({ doc }: Pen, title: string): void {
  doc.font('Helvetica-Bold').fontSize(11.5).fillColor(INK).text(toPrintable(title), MARGIN, doc.y, { width: WIDTH })
  doc.moveDown(0.4)
}

/** Begins a page when there is less room than this on the current one. */
function needRoom({ doc }: Pen, height: number): boolean {
  if (doc.y + height <= BOTTOM) return false
  doc.addPage()
  return true
}

function writeFeet({ doc }: Pen, foot: string): void {
  const { start, count } = doc.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    doc.switchToPage(page)
    // Below the margin, where a text would begin a page of its own.
    doc.page.margins.bottom = 0
    doc.font('Helvetica').fontSize(8).fillColor(DIM)
    doc.text(toPrintable(`${foot} · ${page + 1}/${count}`), MARGIN, 841.89 - MARGIN, { width: WIDTH, lineBreak: false })
  }
}

/** Characters of Windows-1252 that are none of Latin-1. */
const WINDOWS = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** The fonts of every PDF reader know Windows-1252 alone. Other characters become question marks. */
export function toPrintable(text: string): string {
  let printable = ''
  for (const character of text.normalize('NFC').replaceAll(/\s/g, ' ')) {
    const code = character.codePointAt(0) ?? 0
    const isKnown = (code >= 32 && code < 127) || (code >= 160 && code < 256) || WINDOWS.has(character)
    printable += isKnown ? character : '?'
  }
  return printable
}
