import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { creditsQuery } from '../../account/api/credits.ts'
import { useMe } from '../../account/api/me.ts'
import { carriersQuery } from '../../operator/api/operator.ts'
import { webhooksQuery } from '../../webhooks/api/webhooks.ts'
import { stateOf } from '../../webhooks/webhook-state.ts'

const words = defineWords(
  {
    carrier: (name: string) => `The carrier “${name}” is down: its messages wait.`,
    webhook: (url: string, why: string) => `The webhook ${url} is disabled: ${why}`,
    failing: (url: string, moment: string) => `The webhook ${url} fails: nothing has arrived since ${moment}.`,
    credits: (count: string) => `${count} left.`,
    credit: (label: string) => `${label} credit`,
    manyCredits: (label: string) => `${label} credits`,
    see: 'See'
  },
  {
    carrier: (name: string) => `L’opérateur « ${name} » est hors service : ses messages attendent.`,
    webhook: (url: string, why: string) => `Le webhook ${url} est désactivé : ${why}`,
    failing: (url: string, moment: string) => `Le webhook ${url} échoue : rien n’est arrivé depuis le ${moment}.`,
    credits: (count: string) => `Il reste ${count}.`,
    credit: (label: string) => `crédit ${label}`,
    manyCredits: (label: string) => `crédits ${label}`,
    see: 'Voir'
  }
)

const CREDITS_LOW = 100

interface Concern {
  key: string
  text: string
  to: string
  color: string
}

/** Problems that need attention; empty when all is well. */
export function Attention() {
  const say = useWords(words)
  const concerns = useConcerns()
  if (concerns.length === 0) return null
  return (
    <Stack gap="xs">
      {concerns.map(({ key, text, to, color }) => (
        <Alert key={key} color={color} icon={<IconAlertTriangle size={18} aria-hidden />} role="status">
          {text}{' '}
          <Anchor component={Link} to={to} inherit>
            {say.see}
          </Anchor>
        </Alert>
      ))}
    </Stack>
  )
}

function useConcerns(): Concern[] {
  const say = useWords(words)
  const translate = useSentences()
  const language = useLanguage()
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const carriers = useQuery({ ...carriersQuery, enabled: me?.role === 'operator' }).data ?? []
  const webhooks = useQuery(webhooksQuery).data?.webhooks ?? []
  const credits = useQuery(creditsQuery).data ?? []
  return [
    ...carriers
      .filter(({ is_up: isUp }) => !isUp)
      .map(({ name }) => ({ key: `carrier ${name}`, text: say.carrier(name), to: '/operator', color: 'red' })),
    ...webhooks.flatMap((webhook) => {
      const { id, url, disabled_reason: why, failing_since: since } = webhook
      const place = { key: `webhook ${id}`, to: '/webhooks' }
      if (why !== null) return [{ ...place, text: say.webhook(url, translate(why)), color: 'red' }]
      if (stateOf(webhook) !== 'failing' || since === null) return []
      return [{ ...place, text: say.failing(url, formats.moment(since)), color: 'orange' }]
    }),
    ...credits
      .filter(({ credits: left }) => left < CREDITS_LOW)
      .map(({ msgType, label, credits: left }) => ({
        key: `credits ${msgType}`,
        text: say.credits(counted(language, left, say.credit(label), say.manyCredits(label))),
        to: '/credits',
        color: 'orange'
      }))
  ]
}
