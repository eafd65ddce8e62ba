import { SegmentedControl, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { useMay } from '../../account/api/may.ts'
import { senderWords } from '../words.ts'

const words = defineWords(
  {
    title: 'Sender register',
    about:
      'Open: any sender. Warn: messages from senders that are not approved are sent with a warning. Enforce: they are refused.',
    default: 'Default',
    now: (mode: string) => `Now: ${mode}`,
    saved: 'The mode is saved.'
  },
  {
    title: 'Registre des expéditeurs',
    about:
      'Ouvert : tout expéditeur. Avertir : les messages d’expéditeurs non acceptés sont envoyés avec un avertissement. Imposer : ils sont refusés.',
    default: 'Par défaut',
    now: (mode: string) => `Actuellement : ${mode}`,
    saved: 'Le mode est enregistré.'
  }
)

const MODES = ['default', 'open', 'warn', 'enforce'] as const

/** How strictly the register binds an account, for whoever is above it. */
export function SenderModeForm({ by, id }: { by: 'operator' | 'parent'; id: number }) {
  const say = useWords(words)
  const modes = useWords(senderWords)
  const queries = useQueryClient()
  const isPhone = useIsPhone()
  const mayChange = useMay('account')
  const queryKey = ['senders', 'mode', by, id]
  const { data } = useQuery({
    queryKey,
    queryFn: () => call(by === 'operator' ? 'readAccountSenderMode' : 'readSubAccountSenderMode', { path: { id } })
  })
  const change = useMutation({
    mutationFn: (mode: (typeof MODES)[number]) =>
      call(by === 'operator' ? 'changeAccountSenderMode' : 'changeSubAccountSenderMode', {
        path: { id },
        body: { mode: mode === 'default' ? null : mode }
      }),
    onSuccess(changed) {
      queries.setQueryData(queryKey, changed)
      notifications.show({ color: 'green', message: say.saved })
    }
  })
  if (!data) return null
  return (
    <Card title={say.title} about={say.about}>
      <SegmentedControl
        aria-label={say.title}
        // Beside each other their words are cut there.
        orientation={isPhone ? 'vertical' : 'horizontal'}
        fullWidth={isPhone}
        disabled={!mayChange}
        value={data.mode ?? 'default'}
        onChange={(value) => change.mutate(value as (typeof MODES)[number])}
        data={MODES.map((value) => ({ value, label: value === 'default' ? say.default : modes[value] }))}
      />
      <Text size="sm">{say.now(modes[data.effective])}</Text>
    </Card>
  )
}
