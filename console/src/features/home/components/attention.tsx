import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { creditsQuery } from '../../account/api/credits.ts'
import { useMe } from '../../account/api/me.ts'
import { carriersQuery } from '../../operator/api/operator.ts'
import { webhooksQuery } from '../../webhooks/api/webhooks.ts'

const words = defineWords(
  {
    carrier: (name: string) => `The carrier “${name}” is down: its messages wait.`,
    webhook: (url: string, why: string) => `The webhook ${url} is disabled: ${why}`,
    failing: (url: string, status: number) => `The webhook ${url} answers ${status}.`,
    credits: (count: string) => `${count} left.`,
    credit: (label: string) => `${label} credit`,
    manyCredits: (label: string) => `${label} credits`,
    see: 'See'
  },
  {
    carrier: (name: string) => `L’opérateur « ${name} » est hors service : ses messages attendent.`,
    webhook: (url: string, why: string) => `Le webhook ${url} est désactivé : ${why}`,
    failing: (url: string, status: number) => `Le webhook ${url} répond ${status}.`,
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
  const carriers = useQuery({ ...carriersQuery, enabled: me?.role === 'operator' }).data ?? []
  const webhooks = useQuery(webhooksQuery).data?.webhooks ?? []
  const credits = useQuery(creditsQuery).data ?? []
  return [
    ...carriers
      .filter(({ is_up: isUp }) => !isUp)
      .map(({ name }) => ({ key: `carrier ${name}`, text: say.carrier(name), to: '/operator', color: 'red' })),
    ...webhooks.flatMap(({ id, url, active, disabled_reason: why, last_status: status }) => {
      if (why !== null)
        return [{ key: `webhook ${id}`, text: say.webhook(url, translate(why)), to: '/webhooks', color: 'red' }]
      if (!active || status === null || status < 400) return []
      return [{ key: `webhook ${id}`, text: say.failing(url, status), to: '/webhooks', color: 'orange' }]
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
