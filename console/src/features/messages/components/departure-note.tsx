import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { departureQuery, type Message } from '../api/messages.ts'

const words = defineWords(
  {
    waits: 'Recipients of the segment are found when the message is sent. Credits are taken then.',
    refused: 'The message was not sent.'
  },
  {
    waits: 'Les destinataires du segment sont recherchés au moment de l’envoi. Les crédits sont débités à ce moment.',
    refused: 'Le message n’a pas été envoyé.'
  }
)

/** For a message to segments that has no recipients yet, or never got any. */
export function DepartureNote({ message }: { message: Message }) {
  const say = useWords(words)
  const isWaiting = message.recipients_count === 0 && message.state !== 'cancelled'
  const { data } = useQuery({ ...departureQuery(message), enabled: isWaiting })
  if (!data || !isWaiting) return null
  if (data.problem === null) return <Alert role="status">{say.waits}</Alert>
  return (
    <Alert color="red" role="alert" title={say.refused}>
      {data.problem}
    </Alert>
  )
}
