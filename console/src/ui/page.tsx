import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { look } from '../lib/look.ts'
import classes from './page.module.css'

/** A page: its title, which is also that of the tab, its description, its actions and its content. */
export function Page({
  title,
  about,
  actions,
  children
}: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · ${look.name}`
  }, [title])
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <div className={classes.head}>
        <Title order={1} size="h2" className={classes.title}>
          {title}
        </Title>
        {about && (
          <Text c="dimmed" className={classes.about}>
            {about}
          </Text>
        )}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </Stack>
  )
}
