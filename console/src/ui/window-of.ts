/** Rows above and below what can be seen, so that scrolling shows no gaps. */
const OVERSCAN = 4

interface View {
  scrollTop: number
  /** What can be seen of the rows, in pixels. */
  bodyHeight: number
  /** What the scroll bar stands for; less than the rows are high when there are very many. */
  fullHeight: number
  rowHeight: number
  count: number
}

/**
 * Which rows are in sight, from `first` up to `last`, and where the first of them stands. When the scroll bar stands for more rows than it is
 * long, its place is a share of all rows, and the rows are put where one looks.
 */
export function windowOf({ scrollTop, bodyHeight, fullHeight, rowHeight, count }: View) {
  const seen = Math.ceil(bodyHeight / rowHeight)
  const room = fullHeight - bodyHeight
  const isScaled = count * rowHeight > fullHeight && room > 0
  const lastTop = Math.max(0, count - seen)
  const place = isScaled ? Math.round((scrollTop / room) * lastTop) : Math.floor(scrollTop / rowHeight)
  const top = Math.min(place, lastTop)
  const first = Math.max(0, top - OVERSCAN)
  const last = Math.min(count, top + seen + OVERSCAN + 1)
  const offset = isScaled ? Math.min(scrollTop, room) - (top - first) * rowHeight : first * rowHeight
  return { first, last, offset }
}
