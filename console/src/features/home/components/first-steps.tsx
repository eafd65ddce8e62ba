import { Anchor, Button, Group, List, Paper, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck, IconCircleDashed } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { creditsQuery } from '../../account/api/credits.ts'
import { useMe } from '../../account/api/me.ts'
import { contactListsQuery } from '../../contacts/api/contact-lists.ts'
import { recentMessagesQuery } from '../../messages/api/messages.ts'
import { carriersQuery } from '../../operator/api/operator.ts'
import { webhooksQuery } from '../../webhooks/api/webhooks.ts'

const words = defineWords(
  {
    title: 'First steps',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    carrier: 'Connect a carrier',
    sender: 'Choose a sender',
    credits: 'Get credits',
    contacts: 'Import contacts',
    test: 'Send a test message',
    webhook: 'Add a webhook for replies and delivery reports',
    done: 'Done',
    open: 'To do',
    hide: 'Hide'
  },
  {
    title: 'Premiers pas',
    progress: (done: number, all: number) => `${done} sur ${all} faits`,
    carrier: 'Connecter un opérateur',
    sender: 'Choisir un expéditeur',
    credits: 'Obtenir des crédits',
    contacts: 'Importer des contacts',
    test: 'Envoyer un message de test',
    webhook: 'Ajouter un webhook pour les réponses et les accusés',
    done: 'Fait',
    open: 'À faire',
    hide: 'Masquer'
  }
)

/** An account that has sent so many messages is past its first day. */
const MESSAGES_MAX = 10

const keyOf = (accountId: number) => `chappe.first-steps.${accountId}`

/** What a new account has to set up, until all of it is done or somebody hides it. */
export function FirstSteps() {
  const me = useMe()
  const { data: recent } = useQuery(recentMessagesQuery)
  const [isHidden, setHidden] = useState(false)
  if (!me || !recent || recent.meta.totalItems >= MESSAGES_MAX) return null
  if (isHidden || localStorage.getItem(keyOf(me.id)) !== null) return null
  return (
    <Steps
      isOperator={me.role === 'operator'}
      hasSender={me.settings.sender !== ''}
      hasSent={recent.meta.totalItems > 0}
      onHide={() => {
        localStorage.setItem(keyOf(me.id), 'hidden')
        setHidden(true)
      }}
    />
  )
}

function Steps(given: { isOperator: boolean; hasSender: boolean; hasSent: boolean; onHide(): void }) {
  const { isOperator, hasSender, hasSent, onHide } = given
  const say = useWords(words)
  const carriers = useQuery({ ...carriersQuery, enabled: isOperator }).data
  const credits = useQuery(creditsQuery).data
  const lists = useQuery(contactListsQuery()).data
  const webhooks = useQuery(webhooksQuery).data?.webhooks
  if ((isOperator && !carriers) || !credits || !lists || !webhooks) return null
  const steps: { name: string; to: string; isDone: boolean }[] = [
    ...(isOperator
      ? [{ name: say.carrier, to: '/operator', isDone: (carriers ?? []).some(({ is_up: isUp }) => isUp) }]
      : []),
    { name: say.sender, to: '/settings', isDone: hasSender },
    { name: say.credits, to: '/credits', isDone: credits.some(({ credits: left }) => left > 0) },
    { name: say.contacts, to: '/contacts', isDone: lists.length > 0 },
    { name: say.test, to: '/send', isDone: hasSent },
    { name: say.webhook, to: '/webhooks', isDone: webhooks.length > 0 }
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <Title order={2} size="h4">
            {say.title}
          </Title>
          <Text size="sm" c="dimmed">
            {say.progress(done, steps.length)}
          </Text>
        </Group>
        <Button size="compact-sm" variant="subtle" onClick={onHide}>
          {say.hide}
        </Button>
      </Group>
      <List spacing="xs" size="sm" center listStyleType="none">
        {steps.map(({ name, to, isDone }) => (
          <List.Item
            key={name}
            icon={
              <ThemeIcon size={20} radius="xl" variant="light" color={isDone ? 'teal' : 'gray'}>
                {isDone ? (
                  <IconCheck size={14} role="img" aria-label={say.done} />
                ) : (
                  <IconCircleDashed size={14} role="img" aria-label={say.open} />
                )}
              </ThemeIcon>
            }
          >
            <Anchor component={Link} to={to} size="sm" c={isDone ? 'dimmed' : undefined}>
              {name}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Paper>
  )
}
