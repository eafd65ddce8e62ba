import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Heading {
  title: string
  /** A sentence about what the card is for. */
  about?: string | undefined
}

/** A part of a page with a heading of its own. */
export function Card({ children, isTall = false, ...heading }: Heading & { isTall?: boolean; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={heading.title} {...(isTall && { h: '100%' })}>
      <Stack gap="sm">
        <CardHeading {...heading} />
        {children}
      </Stack>
    </Paper>
  )
}

export function CardHeading({ title, about }: Heading) {
  return (
    <div>
      <Title order={2} size="h4">
        {title}
      </Title>
      {about !== undefined && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
    </div>
  )
}
