import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import { useLanguage } from '../lib/language.ts'

type Day = string | null

/** A range of days to narrow a list down. Half a range changes nothing yet. */
export function DaysInput({
  label,
  placeholder,
  from = null,
  to = null,
  onChange
}: {
  label: string
  placeholder: string
  from?: Day
  to?: Day
  onChange(from: Day, to: Day): void
}) {
  const language = useLanguage()
  const [days, setDays] = useState<[Day, Day]>([from, to])
  return (
    <DatePickerInput
      type="range"
      label={label}
      placeholder={placeholder}
      clearable
      allowSingleDateInRange
      locale={language}
      valueFormat={language === 'fr' ? 'DD/MM/YY' : 'DD MMM YY'}
      w={220}
      value={days}
      onChange={(chosen) => {
        setDays(chosen)
        const [first, last] = chosen
        if ((first === null) === (last === null)) onChange(first, last)
      }}
    />
  )
}
