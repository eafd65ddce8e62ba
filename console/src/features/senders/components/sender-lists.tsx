import { ActionIcon, Badge, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconFileImport, IconListCheck, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { upload } from '../../../lib/upload.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { LeftOutRows } from '../../../ui/left-out-rows.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SearchField, useSearch } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import type { ListEntry } from '../api/senders.ts'

const words = defineWords(
  {
    title: 'Forbidden and reserved names',
    about:
      'A CSV with the columns name, kind (forbidden, word, reserved), account and note. Names that are there are replaced.',
    import: 'Import a file',
    imported: (added: number, updated: number) => `${added} names added, ${updated} replaced.`,
    search: 'Name or note',
    name: 'Name',
    kind: 'Kind',
    account: 'Account',
    note: 'Note',
    remove: 'Remove',
    forbidden: 'Forbidden',
    word: 'Forbidden word',
    reserved: 'Reserved',
    none: 'No name listed',
    acts: 'Actions'
  },
  {
    title: 'Noms interdits et réservés',
    about:
      'Un CSV avec les colonnes name, kind (forbidden, word, reserved), account et note. Les noms déjà présents sont remplacés.',
    import: 'Importer un fichier',
    imported: (added: number, updated: number) => `${added} noms ajoutés, ${updated} remplacés.`,
    search: 'Nom ou note',
    name: 'Nom',
    kind: 'Type',
    account: 'Compte',
    note: 'Note',
    remove: 'Retirer',
    forbidden: 'Interdit',
    word: 'Mot interdit',
    reserved: 'Réservé',
    none: 'Aucun nom dans les listes',
    acts: 'Actions'
  }
)

const SEARCH_LENGTH_MAX = 255

export function SenderLists() {
  const say = useWords(words)
  const queries = useQueryClient()
  const { search, ...field } = useSearch()
  const refresh = () => queries.invalidateQueries({ queryKey: ['senders', 'lists'] })
  const load = useMutation({
    meta: { isShown: true },
    mutationFn(file: File) {
      const form = new FormData()
      form.set('file', file)
      return upload('importSenderList', form, {})
    },
    onSuccess({ added, updated }) {
      notifications.show({ color: 'green', message: say.imported(added, updated) })
      void refresh()
    }
  })
  const remove = useMutation({
    mutationFn: (id: number) => call('deleteSenderListEntry', { path: { id } }),
    onSuccess: refresh
  })
  const columns: Column<ListEntry>[] = [
    { key: 'name', title: say.name, width: 'minmax(0, 1fr)', cell: ({ name }) => name },
    {
      key: 'kind',
      title: say.kind,
      width: '132px',
      cell: ({ kind }) => (
        <Badge variant="default" tt="none">
          {say[kind]}
        </Badge>
      )
    },
    { key: 'account', title: say.account, width: '90px', isWide: true, cell: ({ account_id: id }) => id ?? '' },
    { key: 'note', title: say.note, width: 'minmax(0, 1fr)', isWide: true, cell: ({ note }) => note },
    {
      key: 'acts',
      title: say.acts,
      width: '36px',
      isTitleHidden: true,
      align: 'right',
      cell: ({ id, name }) => (
        <For permission="account">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${say.remove} ${name}`}
            onClick={() => remove.mutate(id)}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </For>
      )
    }
  ]
  return (
    <Stack gap="sm">
      <Text c="dimmed">{say.about}</Text>
      {load.isError && <Problem error={load.error} />}
      {load.data && load.data.errors.length > 0 && <LeftOutRows rows={load.data.errors} total={load.data.invalid} />}
      <Group justify="space-between" align="flex-end">
        <SearchField label={say.search} maxLength={SEARCH_LENGTH_MAX} {...field} />
        <For permission="account">
          <FileButton onChange={(file) => file && load.mutate(file)} accept=".csv,.txt,.xlsx,text/csv">
            {(props) => (
              <Button {...props} leftSection={<IconFileImport size={18} aria-hidden />} loading={load.isPending}>
                {say.import}
              </Button>
            )}
          </FileButton>
        </For>
      </Group>
      <DataTable<ListEntry>
        label={say.title}
        columns={columns}
        queryKey={['senders', 'lists', search]}
        fetchPage={(page, signal) => call('pageSenderLists', { query: { ...page, ...(search && { search }) }, signal })}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<IconListCheck size={28} aria-hidden />} title={say.none} />}
      />
    </Stack>
  )
}
