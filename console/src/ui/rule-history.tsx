import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { defineWords, useWords } from '../lib/language.ts'

const words = defineWords({ history: 'History' }, { history: 'Historique' })

/** What a rule did, below its fields. */
export function RuleHistory({ hint, children }: { hint: string; children: ReactNode }) {
  const say = useWords(words)
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {say.history}
      </Title>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {children}
    </Stack>
  )
}
