import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconBan, IconFileImport, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { upload } from '../../../lib/upload.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { ImportNumbersDialog } from '../../../ui/import-numbers-dialog.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { SearchField, useSearch } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'

const words = defineWords(
  {
    title: 'Numbers that no account may write to',
    about: 'No account can send any message to these numbers. A reply with START does not remove them.',
    phone: 'Phone number',
    column: 'Phone',
    reason: 'Reason',
    since: 'Since',
    actions: 'Actions',
    add: 'Add the number',
    import: 'Import a file',
    search: 'Search by number',
    none: 'The list is empty',
    noneHint: 'Add numbers whose owners complained to you or to a carrier.',
    added: (phone: string) => `${phone} is on the list.`,
    remove: (phone: string) => `Remove ${phone} from the list`,
    removeHint: 'Accounts may write to this number again, unless it opted out of them.',
    confirm: 'Remove',
    cancel: 'Cancel',
    importTitle: 'Import numbers to the list',
    hint: 'No account may write to the numbers of the file.',
    storing: 'The numbers are being stored …'
  },
  {
    title: 'Numéros auxquels aucun compte ne peut écrire',
    about:
      'Aucun message d’aucun compte ne part vers ces numéros, quel que soit son type. Une réponse START ne les retire pas.',
    phone: 'Numéro de téléphone',
    column: 'Téléphone',
    reason: 'Motif',
    since: 'Depuis',
    actions: 'Actions',
    add: 'Ajouter le numéro',
    import: 'Importer un fichier',
    search: 'Rechercher un numéro',
    none: 'La liste est vide',
    noneHint: 'Ajoutez les numéros dont les titulaires se sont plaints auprès de vous ou d’un opérateur.',
    added: (phone: string) => `${phone} est dans la liste.`,
    remove: (phone: string) => `Retirer ${phone} de la liste`,
    removeHint: 'Les comptes pourront de nouveau écrire à ce numéro, sauf s’il s’est désinscrit chez eux.',
    confirm: 'Retirer',
    cancel: 'Annuler',
    importTitle: 'Importer des numéros dans la liste',
    hint: 'Aucun compte ne pourra écrire aux numéros du fichier.',
    storing: 'Enregistrement des numéros…'
  }
)

const KEY = ['operator-stops']
const SEARCH_LENGTH_MAX = 40

export function OperatorStops({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const client = useQueryClient()
  const { search, ...field } = useSearch()
  const [isImporting, importing] = useDisclosure()
  const remove = useMutation({
    mutationFn: ({ id }: Schemas['OperatorStop']) => call('deleteOperatorStop', { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY })
  })
  const askToRemove = (stop: Schemas['OperatorStop']) =>
    askFirst({
      title: say.remove(formatPhone(stop.recipient)),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(stop)
    })
  return (
    <Stack>
      <Text c="dimmed">{say.about}</Text>
      <AddForm />
      <Group justify="space-between" align="flex-end">
        <SearchField label={say.search} maxLength={SEARCH_LENGTH_MAX} {...field} />
        <Button variant="default" leftSection={<IconFileImport size={18} aria-hidden />} onClick={importing.open}>
          {say.import}
        </Button>
      </Group>
      <DataTable<Schemas['OperatorStop']>
        label={say.title}
        queryKey={[...KEY, search]}
        fetchPage={(page, signal) => call('listOperatorStops', { query: { ...page, search }, signal })}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'phone',
            title: say.column,
            width: 'minmax(140px, 1fr)',
            cell: ({ recipient }) => <NumberLink number={recipient} />
          },
          { key: 'reason', title: say.reason, width: 'minmax(0, 2fr)', cell: ({ reason }) => reason },
          {
            key: 'since',
            title: say.since,
            width: '1fr',
            isWide: true,
            cell: ({ timestamp }) => formats.moment(timestamp)
          },
          {
            key: 'actions',
            title: say.actions,
            isTitleHidden: true,
            width: '36px',
            cell: (stop) => (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={say.remove(formatPhone(stop.recipient))}
                onClick={() => askToRemove(stop)}
              >
                <IconTrash size={18} aria-hidden />
              </ActionIcon>
            )
          }
        ]}
        empty={
          <EmptyState icon={<IconBan size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
      <ImportNumbersDialog
        title={say.importTitle}
        hint={say.hint}
        storing={say.storing}
        isOpen={isImporting}
        onClose={importing.close}
        queryKey={KEY}
        upload={(file, watch) => {
          const form = new FormData()
          form.set('file', file)
          return upload('importOperatorStops', form, watch)
        }}
      />
    </Stack>
  )
}

function AddForm() {
  const say = useWords(words)
  const client = useQueryClient()
  const form = useForm({ initialValues: { recipient: '', reason: '' } })
  const add = useMutation({
    mutationFn: (body: { recipient: string; reason: string }) => call('addOperatorStop', { body }),
    meta: { isShown: true },
    async onSuccess({ recipient }) {
      form.reset()
      notifications.show({ message: say.added(formatPhone(recipient)) })
      await client.invalidateQueries({ queryKey: KEY })
    },
    onError: (error) => form.setErrors({ recipient: error.message })
  })
  return (
    <form onSubmit={form.onSubmit((body) => add.mutate(body))} noValidate>
      <Group align="flex-end">
        <TextInput
          label={say.phone}
          style={{ flex: 1, minWidth: 200 }}
          type="tel"
          maxLength={255}
          autoComplete="off"
          {...form.getInputProps('recipient')}
        />
        <TextInput
          label={say.reason}
          maxLength={255}
          style={{ flex: 2, minWidth: 200 }}
          {...form.getInputProps('reason')}
        />
        <Button type="submit" loading={add.isPending}>
          {say.add}
        </Button>
      </Group>
    </form>
  )
}
