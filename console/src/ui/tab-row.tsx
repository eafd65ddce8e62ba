import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './tab-row.module.css'

/** The tabs of a page: one row, which scrolls where it is too long, with the chosen tab in sight. */
export function TabRow({ children }: { children: ReactNode }) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (!row.current || !chosen) return
    // In the middle, so that those before it are in sight too. Sideways alone: the page stays where it is.
    row.current.scrollLeft = chosen.offsetLeft - (row.current.clientWidth - chosen.offsetWidth) / 2
  }, [])
  return (
    <Tabs.List ref={row} mb="md" className={classes.row}>
      {children}
    </Tabs.List>
  )
}
