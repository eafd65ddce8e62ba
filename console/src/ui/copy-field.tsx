import { ActionIcon, CopyButton, TextInput, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { defineWords, useWords } from '../lib/language.ts'

const words = defineWords({ copy: 'Copy', copied: 'Copied' }, { copy: 'Copier', copied: 'Copié' })

/** A text to copy: a key, a secret. */
export function CopyField({ label, value, description }: { label: string; value: string; description?: string }) {
  const say = useWords(words)
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      readOnly
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? say.copied : say.copy}>
              <ActionIcon variant="subtle" aria-label={`${say.copy}: ${label}`} onClick={copy}>
                {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      }
    />
  )
}
