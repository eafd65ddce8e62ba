import { Badge, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { type Carrier, changeSending } from '../api/operator.ts'

const words = defineWords(
  {
    paused: (since: string) => `Paused since ${since}`,
    draining: (count: number, since: string) =>
      `Draining since ${since}: ${counted('en', count, 'message', 'messages')} unanswered`,
    drained: (since: string) => `Drained, since ${since}`,
    pause: 'Pause',
    drain: 'Drain',
    resume: 'Resume',
    cancel: 'Cancel',
    pauseTitle: (name: string) => `Pause ${name}?`,
    pauseText:
      'Nothing more is handed over to this carrier. Its messages wait until you resume it, and expire if that takes too long. Receipts and replies still arrive.',
    drainTitle: (name: string) => `Drain ${name}?`,
    drainText:
      'Nothing more is handed over to this carrier, and no message is deleted. Other carriers of its routes take over, and messages without another carrier wait. Receipts and replies still arrive.'
  },
  {
    paused: (since: string) => `En pause depuis le ${since}`,
    draining: (count: number, since: string) =>
      `En fin d’envoi depuis le ${since} : ${counted('fr', count, 'message', 'messages')} sans réponse`,
    drained: (since: string) => `Envois finis, à l’arrêt depuis le ${since}`,
    pause: 'Mettre en pause',
    drain: 'Laisser finir',
    resume: 'Reprendre',
    cancel: 'Annuler',
    pauseTitle: (name: string) => `Mettre ${name} en pause ?`,
    pauseText:
      'Plus rien n’est confié à cet opérateur. Ses messages attendent la reprise, et expirent si elle tarde trop. Les accusés et les réponses arrivent toujours.',
    drainTitle: (name: string) => `Laisser finir ${name} ?`,
    drainText:
      'Plus rien n’est confié à cet opérateur, et aucun message n’est supprimé. Les autres opérateurs de ses routes prennent le relais ; sans autre opérateur, les messages attendent. Les accusés et les réponses arrivent toujours.'
  }
)

/** Whether the operator stopped handing messages over to the carrier, and how many answers are still due. */
export function SendingBadge({ carrier, timeZone }: { carrier: Carrier; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  if (carrier.sending === 'on') return null
  const since = formats.moment(carrier.sending_since ?? '')
  const unanswered =
    carrier.binds.reduce((sum, { window_used: used }) => sum + used, 0) +
    carrier.processes.reduce((sum, { in_flight: inFlight }) => sum + inFlight, 0)
  const draining = unanswered === 0 ? say.drained(since) : say.draining(unanswered, since)
  return (
    <Badge color="orange.9" variant="filled" tt="none">
      {carrier.sending === 'paused' ? say.paused(since) : draining}
    </Badge>
  )
}

export function SendingButtons({ carrier }: { carrier: Carrier }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const { name, sending } = carrier
  const change = useMutation({
    mutationFn: changeSending,
    onSettled: () => queries.invalidateQueries({ queryKey: ['carriers'] })
  })
  const ask = (mode: 'paused' | 'draining', title: string, text: string, confirm: string) =>
    askFirst({
      title,
      children: text,
      labels: { confirm, cancel: say.cancel },
      onConfirm: () => change.mutate({ name, sending: mode })
    })
  if (sending !== 'on') {
    return (
      <Button size="xs" loading={change.isPending} onClick={() => change.mutate({ name, sending: 'on' })}>
        {say.resume}
      </Button>
    )
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending}
        onClick={() => ask('paused', say.pauseTitle(name), say.pauseText, say.pause)}
      >
        {say.pause}
      </Button>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending}
        onClick={() => ask('draining', say.drainTitle(name), say.drainText, say.drain)}
      >
        {say.drain}
      </Button>
    </>
  )
}
