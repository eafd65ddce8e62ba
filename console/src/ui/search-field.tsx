import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { defineWords, useWords } from '../lib/language.ts'

const PAUSE_MS = 250

const words = defineWords({ clear: 'Clear the search' }, { clear: 'Effacer la recherche' })

/** The search text, once typing has paused. */
export function useSearch() {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), PAUSE_MS)
  return { text, setText, search }
}

interface Given {
  label: string
  text: string
  setText(text: string): void
  maxLength?: number
}

export function SearchField({ label, text, setText, maxLength = 255 }: Given) {
  const say = useWords(words)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      maw={420}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={say.clear} onClick={() => setText('')} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
