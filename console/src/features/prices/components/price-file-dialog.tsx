import { TextInput } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import 'dayjs/locale/fr'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { fromWallTime, toWallTime } from '../../../lib/wall-time.ts'
import { CheckedFileDialog } from '../../../ui/checked-file-dialog.tsx'
import { useMomentFormat } from '../../../ui/date-format.ts'
import { type PriceList, sendPriceFile } from '../api/prices.ts'

const words = defineWords(
  {
    create: 'New price list',
    follow: (name: string) => `New version of ${name}`,
    name: 'Name',
    validFrom: 'Valid from',
    now: (zone: string) =>
      `In the time zone of the account, ${zone}. Empty: now. Messages that were accepted keep their price.`,
    file: 'CSV with the columns kind, prefix and credits, such as sms,33,1',
    fine: (count: number) => `The file is correct: ${counted('en', count, 'price', 'prices')}.`,
    stored: (count: number) => `${counted('en', count, 'price', 'prices')} stored.`
  },
  {
    create: 'Nouvelle grille tarifaire',
    follow: (name: string) => `Nouvelle version de ${name}`,
    name: 'Nom',
    validFrom: 'Valable à partir du',
    now: (zone: string) =>
      `Dans le fuseau horaire du compte, ${zone}. Vide : maintenant. Les messages acceptés gardent leur prix.`,
    file: 'CSV avec les colonnes kind, prefix et credits, par exemple sms,33,1',
    fine: (count: number) => `Le fichier est correct : ${counted('fr', count, 'prix', 'prix')}.`,
    stored: (count: number) => `${counted('fr', count, 'prix enregistré', 'prix enregistrés')}.`
  }
)

/** A file of prices, for a new list or the next version of one. */
export function PriceFileDialog({
  list,
  timeZone,
  onClose
}: {
  list: PriceList | undefined
  timeZone: string
  onClose(): void
}) {
  const say = useWords(words)
  const momentFormat = useMomentFormat()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [validFrom, setValidFrom] = useState<string | null>(null)
  const of = (file: File) => ({ listId: list?.id, name: name || '-', validFrom, file })
  return (
    <CheckedFileDialog
      title={list ? say.follow(list.name) : say.create}
      hint={say.file}
      check={(file) => sendPriceFile({ ...of(file), validFrom: null }, { isCheck: true })}
      store={(file) => sendPriceFile(of(file), { isCheck: false })}
      describe={({ prices }) => say.fine(prices)}
      onStored={({ prices }) => {
        notifications.show({ color: 'green', message: say.stored(prices) })
        void queries.invalidateQueries({ queryKey: ['prices'] })
      }}
      onClose={onClose}
    >
      {!list && (
        <TextInput
          label={say.name}
          required
          maxLength={100}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      <DateTimePicker
        label={say.validFrom}
        description={say.now(timeZone)}
        clearable
        {...momentFormat}
        minDate={toWallTime(new Date().toISOString(), timeZone)}
        value={validFrom === null ? null : toWallTime(validFrom, timeZone)}
        onChange={(value) => setValidFrom(value ? fromWallTime(value, timeZone) : null)}
      />
    </CheckedFileDialog>
  )
}
