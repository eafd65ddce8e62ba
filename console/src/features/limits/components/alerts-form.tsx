import { NumberInput, SimpleGrid } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Schemas } from '../../../lib/api.ts'
import { useWords } from '../../../lib/language.ts'
import { FormCard } from '../../../ui/form-card.tsx'
import { useSaveMe } from '../../account/api/save-me.ts'
import { limitWords } from '../words.ts'

const CREDITS_MAX = 1_000_000_000

/** Below which balance the account is warned. */
export function AlertsForm({ me }: { me: Schemas['Me'] }) {
  const say = useWords(limitWords)
  const { balance_alert_sms, balance_alert_rcs } = me.settings
  const form = useForm({ initialValues: { balance_alert_sms, balance_alert_rcs } })
  const save = useSaveMe(say.alertsSaved)
  return (
    <FormCard
      title={say.alerts}
      about={say.alertsHint}
      save={save}
      label={say.saveAlerts}
      onSubmit={form.onSubmit((settings) => save.mutate({ settings }))}
    >
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
    </FormCard>
  )
}
