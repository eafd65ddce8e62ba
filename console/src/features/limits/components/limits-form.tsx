import { NumberInput, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useWords } from '../../../lib/language.ts'
import { FormCard } from '../../../ui/form-card.tsx'
import { useMay } from '../../account/api/may.ts'
import { changeLimits, type Limits, type LimitsOwner, type LimitsWithUse, limitsQuery } from '../api/limits.ts'
import { COUNTED, limitWords } from '../words.ts'

const NUMBERS = ['requests_per_second', 'credits_per_day', 'messages_per_number', ...COUNTED] as const

type Above = Exclude<LimitsOwner, { kind: 'me' }>

interface Given {
  owner: Above
  /** A sub-account can have no sub-accounts, so it has no limit of them. */
  isSubAccount: boolean
}

/** For whoever runs an account from above: its limits, to be changed. */
export function LimitsForm({ owner, isSubAccount }: Given) {
  const { data } = useQuery(limitsQuery(owner))
  return data ? <Form owner={owner} isSubAccount={isSubAccount} data={data} /> : null
}

function Form({ owner, isSubAccount, data }: Given & { data: LimitsWithUse }) {
  const mayChange = useMay('account')
  const say = useWords(limitWords)
  const queries = useQueryClient()
  const form = useForm({ initialValues: toValues(data.own) })
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: () => changeLimits(owner, toLimits(form.values)),
    onSuccess(changed) {
      queries.setQueryData(limitsQuery(owner).queryKey, changed)
      form.setValues(toValues(changed.own))
      notifications.show({ color: 'green', message: say.saved })
    }
  })
  return (
    <FormCard
      title={say.title}
      about={say.hint}
      save={save}
      label={say.save}
      isOpen={mayChange}
      onSubmit={form.onSubmit(() => save.mutate())}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
        {NUMBERS.filter((name) => name !== 'sub_accounts' || !isSubAccount).map((name) => (
          <NumberInput
            key={name}
            label={say[name]}
            placeholder={data.limits[name]?.toString() ?? say.none}
            min={0}
            allowDecimal={false}
            clampBehavior="none"
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
      <TextInput label={say.countries} description={say.countriesHint} {...form.getInputProps('countries')} />
    </FormCard>
  )
}

type Values = Record<(typeof NUMBERS)[number], number | string> & { countries: string }

function toValues(limits: Limits): Values {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, limits[name] ?? '']))
  return { ...numbers, countries: limits.countries?.join(', ') ?? '' } as Values
}

function toLimits({ countries, ...numbers }: Values): Partial<Limits> {
  const given = Object.entries(numbers).filter(([, value]) => value !== '')
  const codes = countries.toUpperCase().match(/[A-Z]+/g)
  return { ...Object.fromEntries(given), ...(codes && { countries: codes }) }
}
