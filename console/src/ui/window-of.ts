/** Rows above and below the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 4

interface View {
  scrollTop: number
  /** The height of the visible part, in pixels. */
  bodyHeight: number
  /** The height that the scroll bar stands for; less than the height of the rows when there are very many. */
  fullHeight: number
  rowHeight: number
  count: number
}

/**
 * The visible rows, from `first` up to `last`, and the place of the first of them. When the scroll bar is shorter than the rows,
 * its position is a share of all rows, and the rows are drawn at the visible place.
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
