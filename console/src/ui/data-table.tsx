import { Box, Paper, Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Schemas } from '../lib/api.ts'
import classes from './data-table.module.css'
import { ErrorState } from './states.tsx'
import { windowOf } from './window-of.ts'

/*
 * A table of any length: a million rows scroll like ten. Only the visible rows exist; pages are fetched as they come into sight.
 * Browsers limit a page to some 30 million pixels, so past HEIGHT_MAX the scroll bar is shorter than the rows it stands for.
 */

const PAGE_SIZE = 100
const HEIGHT_MAX = 8_000_000
/** From this width in pixels on there is room for all columns, unless they need more. */
const WIDE = 640
/** In pixels, as in the style sheet. */
const GAP = 16
/** What a column that shares the width needs for a few words. */
const SHARED_MIN = 96

export interface Column<T> {
  key: string
  title: string
  /** A share of the width, as of a CSS grid: `2fr`, `120px`. */
  width: string
  /** Where there is no room for all columns, a cell may tell more than elsewhere. */
  cell(row: T, isNarrow: boolean): ReactNode
  align?: 'right'
  /** The title is for screen readers only: a column of buttons needs no visible title. */
  isTitleHidden?: boolean
  /** Hidden where there is no room: on phones. */
  isWide?: boolean
  /** Shown only there. */
  isNarrow?: boolean
}

export interface PageOf<T> {
  items: T[]
  meta: Schemas['paginationMeta']
}

interface Given<T> {
  /** The name of the table, for screen readers. */
  label: string
  columns: Column<T>[]
  queryKey: readonly unknown[]
  fetchPage(page: { page: number; limit: number }, signal: AbortSignal): Promise<PageOf<T>>
  rowKey(row: T): string | number
  /** The page of a row: then the row is a link, which can be opened in a new tab. */
  linkOf?(row: T): string
  /** The column whose cell names the row; the first one unless given. */
  linkColumn?: string
  /** For a row that opens a dialog or a drawer. */
  onOpen?(row: T): void
  /** Shown in place of an empty table. */
  empty: ReactNode
  rowHeight?: number
  /** Where there is no room for all columns, if cells have more lines there. */
  narrowRowHeight?: number
  height?: number
  refetchMs?: number
}

export function DataTable<T>(given: Given<T>) {
  const { label, queryKey, fetchPage, height = 560 } = given
  const [scrollTop, setScrollTop] = useState(0)
  const { ref, width } = useElementSize()
  const [total, setTotal] = useState<number>()
  const body = useRef<HTMLDivElement>(null)
  const sought = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search starts at the top.
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0
  }, [sought])
  // Until it is measured, it counts as wide as the screen, so that columns that do not fit never show.
  const room = width || window.innerWidth
  const isNarrow = room <= Math.max(WIDE, widthOf(given.columns.filter(({ isNarrow }) => !isNarrow)))
  const columns = given.columns.filter((column) => (isNarrow ? !column.isWide : !column.isNarrow))
  const rowHeight = (isNarrow && given.narrowRowHeight) || (given.rowHeight ?? 52)
  const count = total ?? 0
  const bodyHeight = Math.min(height, Math.max(count, 1) * rowHeight)
  const fullHeight = Math.min(count * rowHeight, HEIGHT_MAX)
  const { first, last, offset } = windowOf({ scrollTop, bodyHeight, fullHeight, rowHeight, count })
  const pages = pagesOf(first, last)
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...queryKey, 'page', page],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const answer = await fetchPage({ page, limit: PAGE_SIZE }, signal)
        setTotal(answer.meta.totalItems)
        return answer
      },
      placeholderData: keepPreviousData,
      ...(given.refetchMs && { refetchInterval: given.refetchMs })
    }))
  })
  const failed = results.every(({ isError, data }) => isError && !data) ? results[0] : undefined
  const known = results.find(({ data }) => data)?.data?.meta.totalItems
  if (known !== undefined && known !== total) setTotal(known)
  const rowAt = (index: number): T | undefined => {
    const page = Math.floor(index / PAGE_SIZE) + 1
    const data = results[pages.indexOf(page)]?.data
    // The rows of the last search stay until the new ones are loaded; rows of another position do not.
    return data?.meta.currentPage === page ? data.items[index % PAGE_SIZE] : undefined
  }
  const keyAt = (index: number) => {
    const row = rowAt(index)
    return row === undefined ? `row ${index}` : given.rowKey(row)
  }
  const template = columns.map((column) => column.width).join(' ')
  if (failed) return <ErrorState error={failed.error} reset={() => void failed.refetch()} />
  if (total === 0) return <Paper withBorder>{given.empty}</Paper>
  const isScrolling = fullHeight > bodyHeight
  return (
    <Paper
      withBorder
      ref={ref}
      role="table"
      aria-label={label}
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-busy={total === undefined || results.some(({ isPlaceholderData }) => isPlaceholderData)}
    >
      <Box role="rowgroup">
        <div role="row" aria-rowindex={1} className={classes.head} style={{ gridTemplateColumns: template }}>
          {columns.map(({ key, title, align, isTitleHidden }) => (
            <Text key={key} role="columnheader" size="sm" fw={600} ta={align ?? 'left'} className="cut">
              {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
            </Text>
          ))}
        </div>
      </Box>
      <div
        ref={body}
        role="rowgroup"
        className={classes.body}
        tabIndex={isScrolling ? 0 : undefined}
        style={{ height: total === undefined ? rowHeight * 5 : bodyHeight }}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div role="presentation" style={{ height: fullHeight, position: 'relative' }}>
          {total === undefined
            ? [0, 1, 2, 3, 4].map((index) => <Skeleton key={index} height={rowHeight - 12} m={6} w="auto" />)
            : Array.from({ length: last - first }, (_, step) => first + step).map((index) => (
                <Row
                  key={keyAt(index)}
                  {...given}
                  columns={columns}
                  isNarrow={isNarrow}
                  row={rowAt(index)}
                  template={template}
                  top={offset + (index - first) * rowHeight}
                  height={rowHeight}
                  index={index}
                />
              ))}
        </div>
      </div>
    </Paper>
  )
}

/** The room that columns need, in pixels. */
function widthOf(columns: readonly Pick<Column<unknown>, 'width'>[]): number {
  return columns.reduce((sum, { width }) => sum + leastOf(width) + GAP, GAP)
}

function leastOf(width: string): number {
  const [, pixels] = /(\d+)px/.exec(width) ?? []
  if (pixels === undefined) return SHARED_MIN
  // One that may shrink to nothing is cut there, but not to nothing.
  return width.startsWith('minmax(0') ? Number(pixels) / 2 : Number(pixels)
}

interface RowGiven<T> extends Pick<Given<T>, 'onOpen' | 'linkOf' | 'linkColumn'> {
  columns: Column<T>[]
  isNarrow: boolean
  row: T | undefined
  template: string
  top: number
  height: number
  index: number
}

function Row<T>({ columns, isNarrow, row, template, top, height, index, onOpen, linkOf, linkColumn }: RowGiven<T>) {
  const open = row !== undefined && onOpen ? () => onOpen(row) : undefined
  const to = row !== undefined ? linkOf?.(row) : undefined
  const linked = linkColumn ?? columns[0]?.key
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={open || to !== undefined ? `${classes.row} ${classes.opens}` : classes.row}
      style={{ gridTemplateColumns: template, top, height }}
      {...(open && {
        tabIndex: 0,
        onClick: open,
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key === 'Enter' && event.target === event.currentTarget) open()
        }
      })}
    >
      {columns.map(({ key, cell, align }) => (
        <div key={key} role="cell" className={classes.cell} style={{ textAlign: align ?? 'left' }}>
          {row === undefined ? (
            <Skeleton height={14} />
          ) : to !== undefined && key === linked ? (
            // The link covers its row. Other links and buttons of the row lie above it.
            <Link to={to} className={classes.link}>
              {cell(row, isNarrow)}
            </Link>
          ) : (
            cell(row, isNarrow)
          )}
        </div>
      ))}
    </div>
  )
}

function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / PAGE_SIZE) + 1
  const to = Math.floor(Math.max(first, last - 1) / PAGE_SIZE) + 1
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
