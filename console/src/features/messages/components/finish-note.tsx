import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { forecastQuery, type Message } from '../api/messages.ts'

const words = defineWords(
  { finish: (moment: string) => `Estimated end: ${moment}, by the pace of the carriers.` },
  { finish: (moment: string) => `Fin estimée : ${moment}, selon le rythme des opérateurs.` }
)

/** About when the last recipient of a message has left. */
export function FinishNote({ message, timeZone }: { message: Message; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const isWaiting = (message.state === 'scheduled' || message.state === 'sending') && message.paused_at === undefined
  const { data } = useQuery({ ...forecastQuery(message.id), enabled: isWaiting })
  if (!isWaiting || !data?.finishes_at) return null
  return (
    <Text size="sm" c="dimmed" mt="sm">
      {say.finish(formats.exact(data.finishes_at))}
    </Text>
  )
}
