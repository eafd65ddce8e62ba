import { Group, Select, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { CreditTypeField } from '../../../ui/credit-fields.tsx'
import { FormCard } from '../../../ui/form-card.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { type CreditPrice, creditPricesQuery, setCreditPrice } from '../api/margins.ts'

const words = defineWords(
  {
    title: 'Price of a credit',
    about: 'For margins only: nothing is charged. A new price counts from today; days before keep theirs.',
    price: 'Price',
    hint: 'Up to 6 decimals, such as 0.0475',
    since: (price: string, day: string) => `${price} since ${day}`,
    none: 'No price yet',
    currency: 'Currency',
    save: 'Save',
    saved: 'The price of a credit is saved.'
  },
  {
    title: 'Prix d’un crédit',
    about:
      'Pour les marges seulement : rien n’est facturé. Un nouveau prix vaut dès aujourd’hui ; les jours passés gardent le leur.',
    price: 'Prix',
    hint: 'Jusqu’à 6 décimales, par exemple 0,0475',
    since: (price: string, day: string) => `${price} depuis le ${day}`,
    none: 'Aucun prix',
    currency: 'Devise',
    save: 'Enregistrer',
    saved: 'Le prix d’un crédit est enregistré.'
  }
)

const FIRST_CURRENCY = 'EUR'

interface Given {
  by: 'operator' | 'parent'
  id: number
  isClosed: boolean
}

/** What a credit of an account costs in money, for whoever is above the account. */
export function CreditPriceForm(given: Given) {
  const isOffered = useMay('account')
  const { data } = useQuery({ ...creditPricesQuery, enabled: isOffered })
  return data ? <Form {...given} prices={data} /> : null
}

function Form({ by, id, isClosed, prices }: Given & { prices: readonly CreditPrice[] }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const queries = useQueryClient()
  const [msgType, setType] = useState<1 | 2>(1)
  const [price, setPrice] = useState('')
  const own = prices.find((one) => one.account_id === id && one.msgType === msgType)
  const usual = own?.currency ?? prices.find((one) => one.account_id === id)?.currency ?? prices[0]?.currency
  const [chosen, setChosen] = useState<string>()
  const currency = chosen ?? usual ?? FIRST_CURRENCY
  const save = useMutation({
    meta: { isShown: true },
    // French readers write a comma.
    mutationFn: () => setCreditPrice(by, id, { msgType, price: price.trim().replace(',', '.'), currency }),
    onSuccess() {
      setPrice('')
      setChosen(undefined)
      notifications.show({ color: 'green', message: say.saved })
      void queries.invalidateQueries({ queryKey: ['margins'] })
      return queries.invalidateQueries({ queryKey: creditPricesQuery.queryKey })
    }
  })
  return (
    <FormCard
      title={say.title}
      about={say.about}
      save={save}
      label={say.save}
      isOpen={!isClosed}
      onSubmit={(event) => {
        event?.preventDefault()
        save.mutate()
      }}
    >
      <CreditTypeField
        value={msgType}
        onChange={(type) => {
          setType(type)
          setChosen(undefined)
          save.reset()
        }}
      />
      <div className="digits">
        {own ? say.since(formats.money(own.price, own.currency), formats.day(own.valid_from)) : say.none}
      </div>
      <Group align="flex-start" grow>
        <TextInput
          label={say.price}
          description={say.hint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          inputMode="decimal"
          required
          maxLength={20}
          value={price}
          onChange={({ currentTarget }) => setPrice(currentTarget.value)}
        />
        <CurrencyField label={say.currency} value={currency} onChange={setChosen} />
      </Group>
    </FormCard>
  )
}

function CurrencyField({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const language = useLanguage()
  const data = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'currency' })
    return Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: `${code} – ${names.of(code)}` }))
  }, [language])
  return (
    <Select
      label={label}
      searchable
      allowDeselect={false}
      limit={50}
      value={value}
      onChange={(code) => code !== null && onChange(code)}
      data={data}
    />
  )
}
