import { Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './charts.module.css'

/** Two charts, beside each other where there is room. */
export function Charts({ children }: { children: ReactNode }) {
  return <div className={classes.charts}>{children}</div>
}

export function Chart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} className={classes.chart}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <div>{children}</div>
    </Paper>
  )
}
