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
  /** Beside fields that have a label above them, it has one too; elsewhere its label is within. */
  isLabelShown?: boolean
  text: string
  setText(text: string): void
  maxLength?: number
}

export function SearchField({ label, isLabelShown = false, text, setText, maxLength = 255 }: Given) {
  const say = useWords(words)
  return (
    <TextInput
      type="search"
      {...(isLabelShown ? { label } : { 'aria-label': label, placeholder: label })}
      maxLength={maxLength}
      // As wide as its label, so that neither is cut.
      {...(isLabelShown ? { w: { base: '100%', sm: 'max-content' } } : { w: '100%', maw: 420 })}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={say.clear} onClick={() => setText('')} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
