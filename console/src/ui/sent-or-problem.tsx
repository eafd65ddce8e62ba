import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { defineWords, useWords } from '../lib/language.ts'
import { useSentences } from '../lib/refusals.ts'

const words = defineWords({ message: (id: number) => `Message ${id}` }, { message: (id: number) => `Message ${id}` })

/** In the history of a rule: the message that was sent, or why none was. */
export function SentOrProblem({ messageId, problem }: { messageId: number | null; problem: string | null }) {
  const say = useWords(words)
  const translate = useSentences()
  if (messageId === null) {
    const sentence = translate(problem ?? '')
    return (
      <Text c="var(--mantine-color-error)" size="sm" className="cut" title={sentence}>
        {sentence}
      </Text>
    )
  }
  return (
    <Anchor component={Link} to={`/messages/${messageId}`}>
      {say.message(messageId)}
    </Anchor>
  )
}
