import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { look } from '../lib/look.ts'

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
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw={720}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" mt={4}>
              {about}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
