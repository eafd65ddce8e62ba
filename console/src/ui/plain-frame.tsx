import { Center, Group, Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { look } from '../lib/look.ts'
import { AppearanceMenu } from './appearance-menu.tsx'
import { Brand } from './brand.tsx'

/** The frame of the pages before the log-in: one form in the middle. */
export function PlainFrame({
  title,
  tabTitle = title,
  below,
  children
}: {
  title: string
  /** Of the browser's tab, if it is not that of the step on the screen. */
  tabTitle?: string
  below?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${tabTitle} · ${look.name}`
  }, [tabTitle])
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="space-between">
          <Brand />
          <AppearanceMenu />
        </Group>
        <Paper withBorder p="xl" shadow="sm">
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
        {below}
      </Stack>
    </Center>
  )
}
