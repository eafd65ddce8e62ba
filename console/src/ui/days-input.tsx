import type { MantineStyleProps } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import { useDayFormat } from './date-format.ts'

type Day = string | null

/** A range of days to narrow a list down. Half a range changes nothing yet. */
export function DaysInput({
  label,
  placeholder,
  from = null,
  to = null,
  w = 220,
  onChange
}: {
  label: string
  placeholder: string
  from?: Day
  to?: Day
  w?: MantineStyleProps['w']
  onChange(from: Day, to: Day): void
}) {
  const dayFormat = useDayFormat()
  const [days, setDays] = useState<[Day, Day]>([from, to])
  return (
    <DatePickerInput
      type="range"
      label={label}
      placeholder={placeholder}
      clearable
      allowSingleDateInRange
      {...dayFormat}
      w={w}
      value={days}
      onChange={(chosen) => {
        setDays(chosen)
        const [first, last] = chosen
        if ((first === null) === (last === null)) onChange(first, last)
      }}
    />
  )
}
