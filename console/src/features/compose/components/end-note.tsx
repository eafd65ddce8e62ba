import { Alert, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'

const words = defineWords(
  {
    end: (moment: string) => `Estimated end: ${moment}, by the pace of the carriers.`,
    late: (moment: string) => `It will not be sent by the deadline. Estimated end: ${moment}.`
  },
  {
    end: (moment: string) => `Fin estimée : ${moment}, selon le rythme des opérateurs.`,
    late: (moment: string) => `L’envoi ne sera pas terminé à l’échéance. Fin estimée : ${moment}.`
  }
)

/** About when a message has left, and whether that is in time. */
export function EndNote({
  finishesAt,
  deadline,
  timeZone
}: {
  finishesAt: string
  deadline: string | null | undefined
  timeZone: string | undefined
}) {
  const say = useWords(words)
  const moment = useFormats(timeZone).exact(finishesAt)
  const isLate = deadline && Date.parse(finishesAt) > Date.parse(deadline)
  return isLate ? (
    <Alert variant="light" color="orange" role="status" icon={<IconClock size={18} aria-hidden />}>
      {say.late(moment)}
    </Alert>
  ) : (
    <Text size="sm" c="dimmed">
      {say.end(moment)}
    </Text>
  )
}

/** The service says it too, with moments that are not in the time zone of the account. */
export const isLateWarning = (warning: string) => warning.startsWith('It will not have left by its deadline')
