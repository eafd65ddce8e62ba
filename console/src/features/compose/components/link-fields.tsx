import { Input, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useId } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useIsPhone } from '../../../ui/is-phone.ts'
import type { LinkDraft } from '../draft.ts'

const words = defineWords(
  {
    link: 'Tracked link',
    none: 'None',
    unique: 'One per recipient',
    common: 'Same for all',
    url: 'Destination URL',
    hint: 'A short link replaces #SHORTURL#, or is added at the end.'
  },
  {
    link: 'Lien suivi',
    none: 'Aucun',
    unique: 'Un par destinataire',
    common: 'Le même pour tous',
    url: 'URL de destination',
    hint: 'Un lien court remplace #SHORTURL#, ou s’ajoute à la fin.'
  }
)

export function LinkFields({
  link,
  onChange,
  problem
}: {
  link: LinkDraft
  onChange(link: LinkDraft): void
  problem?: string | undefined
}) {
  const say = useWords(words)
  const id = useId()
  const isPhone = useIsPhone()
  return (
    <Stack gap="xs">
      <Stack gap={4}>
        <Input.Label labelElement="div" id={id}>
          {say.link}
        </Input.Label>
        <SegmentedControl
          aria-labelledby={id}
          // Beside each other their words are cut there.
          orientation={isPhone ? 'vertical' : 'horizontal'}
          fullWidth={isPhone}
          value={link.mode}
          onChange={(mode) => onChange({ ...link, mode: mode as LinkDraft['mode'] })}
          data={[
            { value: 'none', label: say.none },
            { value: 'unique', label: say.unique },
            { value: 'common', label: say.common }
          ]}
        />
      </Stack>
      {link.mode !== 'none' && (
        <TextInput
          label={say.url}
          description={say.hint}
          type="url"
          placeholder="https://"
          value={link.url}
          onChange={(event) => onChange({ ...link, url: event.currentTarget.value })}
          error={problem}
        />
      )}
    </Stack>
  )
}
