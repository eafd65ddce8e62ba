import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { type PriceList, sendPriceFile } from '../api/prices.ts'

const words = defineWords(
  {
    create: 'New price list',
    follow: (name: string) => `New version of ${name}`,
    name: 'Name',
    validFrom: 'Valid from',
    now: 'Empty: now. Messages that were accepted keep their price.',
    file: 'CSV with the columns kind, prefix and credits, such as sms,33,1',
    fine: (count: number) => `The file is correct: ${counted('en', count, 'price', 'prices')}.`,
    store: 'Store',
    cancel: 'Cancel',
    stored: (count: number) => `${counted('en', count, 'price', 'prices')} stored.`
  },
  {
    create: 'Nouvelle grille tarifaire',
    follow: (name: string) => `Nouvelle version de ${name}`,
    name: 'Nom',
    validFrom: 'Valable à partir du',
    now: 'Vide : maintenant. Les messages acceptés gardent leur prix.',
    file: 'CSV avec les colonnes kind, prefix et credits, par exemple sms,33,1',
    fine: (count: number) => `Le fichier est correct : ${counted('fr', count, 'prix', 'prix')}.`,
    store: 'Enregistrer',
    cancel: 'Annuler',
    stored: (count: number) => `${counted('fr', count, 'prix enregistré', 'prix enregistrés')}.`
  }
)

/** A file of prices, for a new list or the next version of one. It is checked before it can be stored. */
export function PriceFileDialog({ list, onClose }: { list: PriceList | undefined; onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [validFrom, setValidFrom] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const of = (file: File) => ({ listId: list?.id, name: name || '-', validFrom, file })
  const check = useMutation({
    meta: { isShown: true },
    mutationFn: (file: File) => sendPriceFile({ ...of(file), validFrom: '' }, { isCheck: true })
  })
  const store = useMutation({
    meta: { isShown: true },
    mutationFn: (file: File) => sendPriceFile(of(file), { isCheck: false }),
    onSuccess({ prices }) {
      notifications.show({ color: 'green', message: say.stored(prices) })
      void queries.invalidateQueries({ queryKey: ['prices'] })
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) store.mutate(file)
  }
  return (
    <Modal opened onClose={onClose} title={list ? say.follow(list.name) : say.create}>
      <form onSubmit={submit}>
        <Stack>
          {store.isError && <Problem error={store.error} />}
          {!list && (
            <TextInput
              label={say.name}
              required
              maxLength={100}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
          <TextInput
            type="datetime-local"
            label={say.validFrom}
            description={say.now}
            value={validFrom}
            onChange={({ currentTarget }) => setValidFrom(currentTarget.value)}
          />
          <FileDrop
            file={file}
            hint={say.file}
            onFile={(chosen) => {
              setFile(chosen)
              store.reset()
              check.mutate(chosen)
            }}
          />
          {check.isError && <Problem error={check.error} />}
          {check.data && (
            <Alert color="green" role="status">
              <Text size="sm">{say.fine(check.data.prices)}</Text>
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.cancel}
            </Button>
            <Button type="submit" disabled={!check.data} loading={store.isPending || check.isPending}>
              {say.store}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
