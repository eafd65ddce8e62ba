import { Alert, Button, NumberInput, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { useWords } from '../../../lib/language.ts'
import { meQuery } from '../../account/api/me.ts'
import { limitWords } from '../words.ts'

const CREDITS_MAX = 1_000_000_000

/** Below which balance the account is warned. */
export function AlertsForm({ me }: { me: Schemas['Me'] }) {
  const say = useWords(limitWords)
  const queries = useQueryClient()
  const { balance_alert_sms, balance_alert_rcs } = me.settings
  const form = useForm({ initialValues: { balance_alert_sms, balance_alert_rcs } })
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('changeMe', { body: { settings: form.values } }),
    onSuccess(changed) {
      queries.setQueryData(meQuery.queryKey, changed)
      notifications.show({ color: 'green', message: say.alertsSaved })
    }
  })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.alerts}>
      <form onSubmit={form.onSubmit(() => save.mutate())}>
        <Stack>
          <div>
            <Title order={2} size="h4">
              {say.alerts}
            </Title>
            <Text size="sm" c="dimmed">
              {say.alertsHint}
            </Text>
          </div>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label={say.sms}
              min={0}
              max={CREDITS_MAX}
              allowDecimal={false}
              {...form.getInputProps('balance_alert_sms')}
            />
            <NumberInput
              label={say.rcs}
              min={0}
              max={CREDITS_MAX}
              allowDecimal={false}
              {...form.getInputProps('balance_alert_rcs')}
            />
          </SimpleGrid>
          {save.isError && (
            <Alert color="red" role="alert">
              {save.error.message}
            </Alert>
          )}
          <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
            {say.saveAlerts}
          </Button>
        </Stack>
      </form>
    </Paper>
  )
}
