import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EndNote } from '../../compose/components/end-note.tsx'
import { forecastQuery, type Message } from '../api/messages.ts'

/** About when the last recipient of a message has left, and whether that is in time. */
export function FinishNote({ message, timeZone }: { message: Message; timeZone: string | undefined }) {
  const isWaiting = (message.state === 'scheduled' || message.state === 'sending') && message.paused_at === undefined
  const { data } = useQuery({ ...forecastQuery(message.id), enabled: isWaiting })
  if (!isWaiting || !data?.finishes_at) return null
  return (
    <Box mt="sm">
      <EndNote finishesAt={data.finishes_at} deadline={data.deadline} timeZone={timeZone} />
    </Box>
  )
}
