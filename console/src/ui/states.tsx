import { Button, Center, Group, Loader, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'

const words = defineWords(
  {
    problem: 'This could not be loaded',
    missing: 'Not found',
    again: 'Try again',
    loading: 'Loading',
    request: 'Request'
  },
  {
    problem: 'Le chargement a échoué',
    missing: 'Introuvable',
    again: 'Réessayer',
    loading: 'Chargement',
    request: 'Requête'
  }
)

/** An empty page: its purpose, and the first step. */
export function EmptyState({
  icon,
  title,
  children,
  action
}: {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon size={56} radius="xl" variant="light">
        {icon}
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** A failed load: the reason, and a button to try again. */
export function ErrorState({ error, reset }: { error: unknown; reset?: () => void }) {
  const say = useWords(words)
  const requestId = error instanceof ApiError ? error.requestId : undefined
  const isMissing = error instanceof ApiError && error.status === 404
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center" role="alert">
      <ThemeIcon size={56} radius="xl" variant="light" color="red">
        <IconAlertTriangle size={28} aria-hidden />
      </ThemeIcon>
      <Title order={2} size="h4">
        {isMissing ? say.missing : say.problem}
      </Title>
      <Text c="dimmed" maw={460}>
        {error instanceof Error ? error.message : String(error)}
      </Text>
      {requestId && !isMissing && (
        <Text c="dimmed" size="xs" ff="monospace">
          {say.request} {requestId}
        </Text>
      )}
      {reset && !isMissing && (
        <Group>
          <Button variant="light" onClick={reset}>
            {say.again}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Placeholders for rows that are being loaded, so that nothing jumps when they come. */
export function RowsLoading({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  const say = useWords(words)
  return (
    <Stack gap="xs" role="status" aria-label={say.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  )
}

export function PageLoading() {
  const say = useWords(words)
  return (
    <Center py={96} role="status" aria-label={say.loading}>
      <Loader />
    </Center>
  )
}
