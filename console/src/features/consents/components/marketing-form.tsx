import { NumberInput, Select, SimpleGrid } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { FormCard } from '../../../ui/form-card.tsx'
import { useSaveMe } from '../../account/api/save-me.ts'

const words = defineWords(
  {
    title: 'Consent and caps',
    about: 'For marketing only. The installation or the parent account may require more than you choose here.',
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
  const { consent, marketing_cap, marketing_cap_days } = me.settings
  const form = useForm({ initialValues: { consent, marketing_cap, marketing_cap_days } })
  const save = useSaveMe(say.saved)
  return (
    <FormCard
      title={say.title}
      about={say.about}
      save={save}
      label={say.save}
      onSubmit={form.onSubmit((settings) => save.mutate({ settings }))}
    >
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
    </FormCard>
  )
}
