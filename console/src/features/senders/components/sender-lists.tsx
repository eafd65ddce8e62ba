import { ActionIcon, Badge, Button, Code, FileButton, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconFileImport, IconListCheck, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
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
    about: 'Names that nobody may send from, and names that one account alone may send from.',
    file: 'The file is a CSV with these columns. A name that is already listed is replaced.',
    columns: {
      name: 'the name or the word',
      kind: 'forbidden (the whole name), word (any name with the word in it) or reserved (for one account)',
      account: 'of a reserved name: the id of its account',
      note: 'why, for yourself'
    },
    import: 'Import a file',
    imported: (added: number, updated: number) =>
      `${counted('en', added, 'name', 'names')} added, ${updated} replaced.`,
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
    noneHint: 'Import a file with the names that nobody may use, or that one account alone may use.',
    acts: 'Actions'
  },
  {
    title: 'Noms interdits et réservés',
    about: 'Les noms interdits à tous, et ceux qu’un seul compte peut utiliser.',
    file: 'Le fichier est un CSV avec ces colonnes. Un nom déjà présent est remplacé.',
    columns: {
      name: 'le nom ou le mot',
      kind: 'forbidden (le nom entier), word (tout nom qui contient le mot) ou reserved (pour un seul compte)',
      account: 'pour un nom réservé : le numéro de son compte',
      note: 'la raison, pour vous'
    },
    import: 'Importer un fichier',
    imported: (added: number, updated: number) =>
      `${counted('fr', added, 'nom ajouté', 'noms ajoutés')}, ${counted('fr', updated, 'remplacé', 'remplacés')}.`,
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
    noneHint: 'Importez un fichier avec les noms interdits à tous, ou réservés à un compte.',
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
      <For permission="account">
        <FileColumns />
      </For>
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
        empty={
          <EmptyState icon={<IconListCheck size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** The columns of the file, as the file names them. */
function FileColumns() {
  const say = useWords(words)
  return (
    <div>
      <Text size="sm">{say.file}</Text>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {Object.entries(say.columns).map(([column, meaning]) => (
          <Text key={column} component="li" size="sm">
            <Code>{column}</Code> {meaning}
          </Text>
        ))}
      </ul>
    </div>
  )
}
