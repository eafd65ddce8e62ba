import { Alert, Button, Group, Modal, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { changeWebhooks, toGiven, type Webhook, type WebhookType } from '../api/webhooks.ts'
import { webhookWords } from '../words.ts'

const words = defineWords(
  {
    add: 'New webhook',
    edit: 'Webhook',
    type: 'Event',
    url: 'URL',
    urlHint: 'We post JSON there, signed with your secret.',
    batch: 'Events per request, at most',
    active: 'Active',
    save: 'Save',
    back: 'Back'
  },
  {
    add: 'Nouveau webhook',
    edit: 'Webhook',
    type: 'Événement',
    url: 'URL',
    urlHint: 'Nous y envoyons du JSON, signé avec votre secret.',
    batch: 'Événements par requête, au plus',
    active: 'Actif',
    save: 'Enregistrer',
    back: 'Retour'
  }
)

interface Given {
  /** The webhook to change; undefined for a new one. */
  webhook: Webhook | undefined
  onClose(): void
  onSecret(secret: string): void
}

export function WebhookDialog({ webhook, onClose, onSecret }: Given) {
  const say = useWords(words)
  const { types } = useWords(webhookWords)
  const queries = useQueryClient()
  const form = useForm<
    Required<Pick<Schemas['webhookTypeDto'], 'url'>> & { type: WebhookType; active: boolean; batch_size: number }
  >({
    initialValues: webhook ? { ...webhook } : { type: 'sms_status', url: '', active: true, batch_size: 1 }
  })
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: ({ type, url, active, batch_size }: typeof form.values) =>
      changeWebhooks((webhooks) => {
        const given = webhooks.map(toGiven)
        const place = webhooks.findIndex(({ id }) => id === webhook?.id)
        given[place === -1 ? given.length : place] = { type, url, active, batch_size }
        return given
      }),
    onError(error) {
      if (!(error instanceof ApiError)) return
      const own = Object.entries(error.fields).map(([path, message]) => [
        path.replace(/^webhooks\[\d+\]\./, ''),
        message
      ])
      form.setErrors(Object.fromEntries(own))
    },
    async onSuccess({ secret }) {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      if (secret !== undefined) onSecret(secret)
      onClose()
    }
  })
  return (
    <Modal opened onClose={onClose} title={webhook ? say.edit : say.add}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          {save.isError && (
            <Alert color="red" role="alert">
              {save.error.message}
            </Alert>
          )}
          <Select
            label={say.type}
            allowDeselect={false}
            data={Object.entries(types).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('type')}
          />
          <TextInput
            label={say.url}
            description={say.urlHint}
            type="url"
            required
            placeholder="https://"
            data-autofocus
            {...form.getInputProps('url')}
          />
          <NumberInput label={say.batch} min={1} max={500} allowDecimal={false} {...form.getInputProps('batch_size')} />
          <Switch label={say.active} {...form.getInputProps('active', { type: 'checkbox' })} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
