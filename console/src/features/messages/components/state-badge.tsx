import { Badge } from '@mantine/core'
import { useWords } from '../../../lib/language.ts'
import type { MessageState } from '../api/messages.ts'
import { stateWords } from '../words.ts'

const COLORS: Record<MessageState, string> = {
  scheduled: 'grape.9',
  sending: 'telegraph',
  sent: 'teal.9',
  cancelled: 'gray.7',
  failed: 'red.8'
}

export function StateBadge({ state, isPaused = false }: { state: MessageState; isPaused?: boolean }) {
  const say = useWords(stateWords)
  return (
    <Badge color={isPaused ? 'orange.9' : COLORS[state]} variant="filled" tt="none">
      {isPaused ? say.paused : say.message[state]}
    </Badge>
  )
}

const DELIVER_COLORS: Record<number, string> = {
  0: 'gray.7',
  1: 'teal.9',
  2: 'telegraph',
  3: 'red.8',
  4: 'red.8',
  5: 'red.8',
  6: 'gray.7',
  7: 'orange.9',
  8: 'teal.9'
}

export function DeliverBadge({ deliver }: { deliver: number }) {
  const say = useWords(stateWords)
  return (
    <Badge
      color={DELIVER_COLORS[deliver] ?? 'gray.7'}
      variant="filled"
      tt="none"
      // On a phone the longest state takes two lines.
      styles={{ root: { height: 'auto', minHeight: 20 }, label: { whiteSpace: 'normal', lineHeight: 1.3 } }}
    >
      {say.deliver[deliver] ?? deliver}
    </Badge>
  )
}
