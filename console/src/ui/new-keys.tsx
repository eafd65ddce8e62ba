import { Button, Stack, Text } from '@mantine/core'
import { CopyField } from './copy-field.tsx'

interface Given {
  hint: string
  keys: { appId: string; apikey: string }
  /** What is said by who has kept them. */
  done: string
  onDone(): void
}

/** Of a dialog whose content is never shown again: it goes when somebody says that they have it, not by a slip. */
export const ONLY_WHEN_KEPT = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false } as const

/** A key pair, shown once. */
export function NewKeys({ hint, keys, done, onDone }: Given) {
  return (
    <Stack>
      <Text>{hint}</Text>
      <CopyField label="X-APP-ID" value={keys.appId} />
      <CopyField label="X-API-KEY" value={keys.apikey} />
      <Button onClick={onDone}>{done}</Button>
    </Stack>
  )
}
