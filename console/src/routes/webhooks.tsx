import { ActionIcon, Alert, Badge, Button, Group, Menu, Modal, Paper, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDotsVertical, IconKey, IconPlus, IconWebhook } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import {
  changeWebhooks,
  rotateSecret,
  testWebhook,
  toGiven,
  type Webhook,
  webhooksQuery
} from '../features/webhooks/api/webhooks.ts'
import { Deliveries } from '../features/webhooks/components/deliveries.tsx'
import { WebhookDialog } from '../features/webhooks/components/webhook-dialog.tsx'
import { stateOf } from '../features/webhooks/webhook-state.ts'
import { webhookWords } from '../features/webhooks/words.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { useSentences } from '../lib/refusals.ts'
import { askFirst } from '../ui/ask-first.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { ONLY_WHEN_KEPT } from '../ui/new-keys.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Webhooks',
    about: 'Events are POSTed to your URL, signed (Standard Webhooks), and retried until accepted.',
    add: 'Add a webhook',
    rotate: 'Rotate the secret',
    rotateTitle: 'Rotate the signing secret?',
    rotateHint:
      'A new secret is made and shown once. The old one also signs for 24 hours, so that nothing breaks meanwhile.',
    back: 'Back',
    secret: 'Signing secret',
    secretHint: 'It is shown only once. Store it where your program can read it.',
    done: 'I’ve saved it',
    none: 'No webhook yet',
    noneHint: 'Receive replies, STOPs, delivery statuses and clicks as they happen.',
    active: 'Active',
    failing: 'Failing',
    failingSince: (moment: string) => `Nothing has arrived since ${moment}. After five days, the webhook is disabled.`,
    inactive: 'Paused',
    disabled: 'Disabled',
    last: (status: number) => `Last response: ${status}`,
    batch: (size: number) => `Up to ${size} events per request`,
    menu: (url: string) => `Actions for ${url}`,
    test: 'Send a test',
    edit: 'Edit',
    pause: 'Pause',
    resume: 'Activate',
    remove: 'Delete',
    removeTitle: 'Delete this webhook?',
    removeHint: 'It receives no more events. Queued events are dropped.',
    tested: 'A test is sent. Its response appears below.'
  },
  {
    title: 'Webhooks',
    about:
      'Les événements sont envoyés à votre URL par POST, signés (Standard Webhooks), et renvoyés jusqu’à leur acceptation.',
    add: 'Ajouter un webhook',
    rotate: 'Renouveler le secret',
    rotateTitle: 'Renouveler le secret de signature ?',
    rotateHint:
      'Un nouveau secret est créé et affiché une seule fois. L’ancien signe encore 24 heures : rien ne casse entre-temps.',
    back: 'Retour',
    secret: 'Secret de signature',
    secretHint: 'Il n’est affiché qu’une fois. Enregistrez-le là où votre programme le lit.',
    done: 'C’est noté',
    none: 'Aucun webhook pour l’instant',
    noneHint: 'Recevez réponses, STOP, statuts et clics dès qu’ils arrivent.',
    active: 'Actif',
    failing: 'En échec',
    failingSince: (moment: string) =>
      `Rien n’est arrivé depuis le ${moment}. Après cinq jours, le webhook est désactivé.`,
    inactive: 'En pause',
    disabled: 'Désactivé',
    last: (status: number) => `Dernière réponse : ${status}`,
    batch: (size: number) => `Jusqu’à ${size} événements par requête`,
    menu: (url: string) => `Actions pour ${url}`,
    test: 'Envoyer un test',
    edit: 'Modifier',
    pause: 'Mettre en pause',
    resume: 'Activer',
    remove: 'Supprimer',
    removeTitle: 'Supprimer ce webhook ?',
    removeHint: 'Il ne reçoit plus d’événements. Les événements en attente sont abandonnés.',
    tested: 'Un test est en route ; sa réponse apparaît ci-dessous.'
  }
)

export function Webhooks() {
  const say = useWords(words)
  const me = useMe()
  const { data, isError, error, refetch } = useQuery(webhooksQuery)
  const [edited, setEdited] = useState<{ webhook: Webhook | undefined }>()
  const [secret, setSecret] = useState<string>()
  const rotate = useMutation({ mutationFn: rotateSecret, onSuccess: (answer) => setSecret(answer.secret) })
  const webhooks = data?.webhooks ?? []
  const add = (
    <For permission="webhooks">
      <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setEdited({ webhook: undefined })}>
        {say.add}
      </Button>
    </For>
  )
  function askRotate(): void {
    askFirst({
      title: say.rotateTitle,
      children: <Text>{say.rotateHint}</Text>,
      labels: { confirm: say.rotate, cancel: say.back },
      onConfirm: () => rotate.mutate()
    })
  }
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        webhooks.length > 0 && (
          <>
            <For permission="webhooks">
              <Button
                variant="default"
                leftSection={<IconKey size={18} aria-hidden />}
                loading={rotate.isPending}
                onClick={askRotate}
              >
                {say.rotate}
              </Button>
            </For>
            {add}
          </>
        )
      }
    >
      {isError && !data ? (
        <ErrorState error={error} reset={() => void refetch()} />
      ) : !data ? (
        <RowsLoading rows={2} height={76} />
      ) : webhooks.length === 0 ? (
        <Paper withBorder>
          <EmptyState icon={<IconWebhook size={28} aria-hidden />} title={say.none} action={add}>
            {say.noneHint}
          </EmptyState>
        </Paper>
      ) : (
        <Stack gap="sm">
          {webhooks.map((webhook) => (
            <WebhookLine
              key={webhook.id}
              webhook={webhook}
              timeZone={me?.time_zone}
              onEdit={() => setEdited({ webhook })}
            />
          ))}
        </Stack>
      )}
      <Deliveries timeZone={me?.time_zone} />
      {edited && <WebhookDialog webhook={edited.webhook} onClose={() => setEdited(undefined)} onSecret={setSecret} />}
      <Modal opened={secret !== undefined} onClose={() => setSecret(undefined)} title={say.secret} {...ONLY_WHEN_KEPT}>
        <Stack>
          <CopyField label={say.secret} description={say.secretHint} value={secret ?? ''} />
          <Button onClick={() => setSecret(undefined)}>{say.done}</Button>
        </Stack>
      </Modal>
    </Page>
  )
}

function WebhookLine({
  webhook,
  timeZone,
  onEdit
}: {
  webhook: Webhook
  timeZone: string | undefined
  onEdit(): void
}) {
  const say = useWords(words)
  const { types } = useWords(webhookWords)
  const translate = useSentences()
  const formats = useFormats(timeZone)
  const queries = useQueryClient()
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: ['webhooks'] })
    void queries.invalidateQueries({ queryKey: ['deliveries'] })
  }
  const change = useMutation({ mutationFn: changeWebhooks, onSuccess: refresh })
  const test = useMutation({
    mutationFn: () => testWebhook(webhook.type),
    onSuccess() {
      notifications.show({ message: say.tested })
      refresh()
    }
  })
  const state = stateOf(webhook)
  const isOn = state === 'active' || state === 'failing'
  const colors = { active: 'teal.9', failing: 'orange.9', inactive: 'gray.7', disabled: 'red.8' }
  const isThis = ({ id }: Webhook) => id === webhook.id
  return (
    <Paper withBorder p="md" component="article" aria-label={webhook.url}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={4} miw={0}>
          <Group gap="xs">
            <Title order={2} size="h5">
              {types[webhook.type]}
            </Title>
            <Badge color={colors[state]} variant="filled" tt="none">
              {say[state]}
            </Badge>
          </Group>
          <Text size="sm" ff="monospace" className="words">
            {webhook.url}
          </Text>
          <Text size="sm" c="dimmed">
            {[
              webhook.batch_size > 1 ? say.batch(webhook.batch_size) : '',
              webhook.last_status === null ? '' : say.last(webhook.last_status)
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </Stack>
        <For permission="webhooks">
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                aria-label={say.menu(webhook.url)}
                loading={test.isPending || change.isPending}
              >
                <IconDotsVertical size={18} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item disabled={!isOn} onClick={() => test.mutate()}>
                {say.test}
              </Menu.Item>
              <Menu.Item onClick={onEdit}>{say.edit}</Menu.Item>
              <Menu.Item
                onClick={() =>
                  change.mutate((webhooks) =>
                    webhooks.map((each) => ({ ...toGiven(each), ...(isThis(each) && { active: !isOn }) }))
                  )
                }
              >
                {isOn ? say.pause : say.resume}
              </Menu.Item>
              <Menu.Item
                c="var(--mantine-color-error)"
                onClick={() =>
                  askFirst({
                    title: say.removeTitle,
                    children: <Text>{say.removeHint}</Text>,
                    labels: { confirm: say.remove, cancel: say.back },
                    confirmProps: { color: 'red' },
                    onConfirm: () => change.mutate((webhooks) => webhooks.filter((each) => !isThis(each)).map(toGiven))
                  })
                }
              >
                {say.remove}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </For>
      </Group>
      {state === 'failing' && webhook.failing_since && (
        <Alert color="orange" mt="sm">
          {say.failingSince(formats.moment(webhook.failing_since))}
        </Alert>
      )}
      {webhook.disabled_reason && (
        <Alert color="red" mt="sm">
          {translate(webhook.disabled_reason)}
        </Alert>
      )}
    </Paper>
  )
}
