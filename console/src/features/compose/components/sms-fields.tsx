import { Button, Menu, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import { useRef } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Place, placesOf } from '../places.ts'

const words = defineWords(
  {
    content: 'Text',
    placeholder: 'Hello #champ_prenom#, …',
    insert: 'Insert',
    sender: 'Sender',
    senderHint: '3 to 11 letters and digits. Empty: the sender of the account.'
  },
  {
    content: 'Texte',
    placeholder: 'Bonjour #champ_prenom#, …',
    insert: 'Insérer',
    sender: 'Expéditeur',
    senderHint: '3 à 11 lettres et chiffres. Vide : celui du compte.'
  }
)

interface Given {
  label?: string
  content: string
  onContent(content: string): void
  /** Variables that can be inserted besides those of every message. */
  variables?: string[]
  problem?: string | undefined
  minRows?: number
}

/** A text with variables, inserted at the cursor. */
export function SmsText({ label, content, onContent, variables = [], problem, minRows = 4 }: Given) {
  const say = useWords(words)
  const field = useRef<HTMLTextAreaElement>(null)
  const places = useWords(placesOf)
  function insert(place: string): void {
    const { selectionStart = content.length, selectionEnd = content.length } = field.current ?? {}
    onContent(content.slice(0, selectionStart) + place + content.slice(selectionEnd))
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(selectionStart + place.length, selectionStart + place.length)
    })
  }
  const own: Place[] = variables.map((name) => ({ place: `#${name}#`, label: name }))
  return (
    <Stack gap={6}>
      <Textarea
        ref={field}
        label={label ?? say.content}
        placeholder={say.placeholder}
        autosize
        minRows={minRows}
        maxRows={14}
        value={content}
        onChange={(event) => onContent(event.currentTarget.value)}
        error={problem}
      />
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconBraces size={16} aria-hidden />}
            style={{ alignSelf: 'flex-start' }}
          >
            {say.insert}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {[...own, ...places].map(({ place, label }) => (
            <Menu.Item
              key={place}
              onClick={() => insert(place)}
              rightSection={
                <Text size="xs" c="dimmed" ff="monospace">
                  {place}
                </Text>
              }
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Stack>
  )
}

export function SenderInput({
  sender,
  onSender,
  hint,
  problem
}: {
  sender: string
  onSender(sender: string): void
  /** What an empty field means, if that is not the sender of the account. */
  hint?: string
  problem?: string | undefined
}) {
  const say = useWords(words)
  return (
    <TextInput
      label={say.sender}
      description={hint ?? say.senderHint}
      maxLength={20}
      value={sender}
      onChange={(event) => onSender(event.currentTarget.value)}
      error={problem}
    />
  )
}
