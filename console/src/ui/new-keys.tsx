import { Button, Stack, Text } from '@mantine/core'
import { CopyField } from './copy-field.tsx'

interface Given {
  hint: string
  keys: { appId: string; apikey: string }
  /** The label of the button that confirms it. */
  done: string
  onDone(): void
}

/** For a dialog that is shown once: only its button closes it, not a click beside it. */
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
