import { Alert, Button, NumberInput, Paper, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { meQuery } from '../../account/api/me.ts'

const words = defineWords(
  {
    title: 'Consent and caps',
    about: 'For marketing only. The installation or the account above may ask for more than you choose here.',
    mode: 'People without a consent',
    off: 'Get the message',
    warn: 'Get the message and are counted',
    enforce: 'Are dropped and counted',
    cap: 'Messages to one person (0: no cap)',
    days: 'Within this many days',
    save: 'Save the rules',
    saved: 'The rules are saved.'
  },
  {
    title: 'Consentement et fréquence',
    about: 'Pour le marketing seulement. L’installation ou le compte parent peut exiger davantage.',
    mode: 'Les personnes sans consentement',
    off: 'Reçoivent le message',
    warn: 'Reçoivent le message et sont comptées',
    enforce: 'Sont écartées et comptées',
    cap: 'Messages à une même personne (0 : sans limite)',
    days: 'Pendant ce nombre de jours',
    save: 'Enregistrer les règles',
    saved: 'Les règles sont enregistrées.'
  }
)

export function MarketingForm({ me }: { me: Schemas['Me'] }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const { consent, marketing_cap, marketing_cap_days } = me.settings
  const form = useForm({ initialValues: { consent, marketing_cap, marketing_cap_days } })
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('changeMe', { body: { settings: form.values } }),
    onSuccess(changed) {
      queries.setQueryData(meQuery.queryKey, changed)
      notifications.show({ color: 'green', message: say.saved })
    }
  })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <form onSubmit={form.onSubmit(() => save.mutate())}>
        <Stack>
          <div>
            <Title order={2} size="h4">
              {say.title}
            </Title>
            <Text size="sm" c="dimmed">
              {say.about}
            </Text>
          </div>
          <Select
            label={say.mode}
            allowDeselect={false}
            data={(['off', 'warn', 'enforce'] as const).map((value) => ({ value, label: say[value] }))}
            {...form.getInputProps('consent')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
            <NumberInput
              label={say.cap}
              min={0}
              max={1_000}
              allowDecimal={false}
              {...form.getInputProps('marketing_cap')}
            />
            <NumberInput
              label={say.days}
              min={1}
              max={365}
              allowDecimal={false}
              {...form.getInputProps('marketing_cap_days')}
            />
          </SimpleGrid>
          {save.isError && (
            <Alert color="red" role="alert">
              {save.error.message}
            </Alert>
          )}
          <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
            {say.save}
          </Button>
        </Stack>
      </form>
    </Paper>
  )
}
