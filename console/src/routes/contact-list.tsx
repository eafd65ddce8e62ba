import { ActionIcon, Anchor, Button, Group, Menu, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconDotsVertical,
  IconDownload,
  IconFileImport,
  IconPencil,
  IconSearch,
  IconSend,
  IconTrash,
  IconUserPlus
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { For } from '../features/account/components/for.tsx'
import { contactListQuery, type ContactList as List } from '../features/contacts/api/contact-lists.ts'
import { type Contact, extractContacts } from '../features/contacts/api/contacts.ts'
import { ContactDialog } from '../features/contacts/components/contact-dialog.tsx'
import { ContactsTable } from '../features/contacts/components/contacts-table.tsx'
import { useDeleteList } from '../features/contacts/components/delete-list.tsx'
import { ImportDialog } from '../features/contacts/components/import-dialog.tsx'
import { ListNameDialog } from '../features/contacts/components/list-name-dialog.tsx'
import { Reach } from '../features/contacts/components/rcs-reach.tsx'
import { ApiError } from '../lib/api.ts'
import { counted, defineWords, useLanguage, useWords } from '../lib/language.ts'
import { exportWords, useExport } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Contact list',
    missing: 'There is no such contact list',
    missingHint: 'It was deleted, or the address is wrong.',
    all: 'All lists',
    one: 'contact',
    other: 'contacts',
    rcs: 'RCS reach:',
    send: 'Send to this list',
    import: 'Import',
    add: 'Add a contact',
    more: 'More actions',
    rename: 'Rename',
    remove: 'Delete',
    search: 'Search by name, number or email',
    none: 'This list is empty',
    noneHint: 'Import a file, or add somebody by hand.',
    notFound: 'No contacts found',
    notFoundHint: 'The search covers names, numbers and email addresses.'
  },
  {
    title: 'Liste de contacts',
    missing: 'Cette liste de contacts n’existe pas',
    missingHint: 'Elle a été supprimée, ou l’adresse est fausse.',
    all: 'Toutes les listes',
    one: 'contact',
    other: 'contacts',
    rcs: 'Portée RCS :',
    send: 'Envoyer à cette liste',
    import: 'Importer',
    add: 'Ajouter un contact',
    more: 'Autres actions',
    rename: 'Renommer',
    remove: 'Supprimer',
    search: 'Rechercher un nom, numéro ou e-mail',
    none: 'Cette liste est vide',
    noneHint: 'Importez un fichier, ou ajoutez quelqu’un à la main.',
    notFound: 'Aucun contact trouvé',
    notFoundHint: 'La recherche porte sur les noms, les numéros et les e-mails.'
  }
)

export function ContactList() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const { data: list, error, refetch } = useQuery(contactListQuery(Number(id)))
  if (list) return <ListPage list={list} />
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title={say.title}>
        <EmptyState
          icon={<IconSearch size={28} aria-hidden />}
          title={say.missing}
          action={
            <Button component={Link} to="/contacts" variant="default">
              {say.all}
            </Button>
          }
        >
          {say.missingHint}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title={say.title} about={<Skeleton height={18} width={240} visible={!error} />}>
      {error ? <ErrorState error={error} reset={() => void refetch()} /> : <RowsLoading />}
    </Page>
  )
}

type Opened = 'import' | 'rename' | undefined

function ListPage({ list }: { list: List }) {
  const say = useWords(words)
  const language = useLanguage()
  const { search, ...field } = useSearch()
  const [opened, setOpened] = useState<Opened>()
  const [contact, setContact] = useState<Contact | 'new'>()
  const close = () => setOpened(undefined)
  const adding = (
    <For permission="contacts">
      <Button
        variant="default"
        leftSection={<IconFileImport size={18} aria-hidden />}
        onClick={() => setOpened('import')}
      >
        {say.import}
      </Button>
      <Button variant="default" leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setContact('new')}>
        {say.add}
      </Button>
    </For>
  )
  return (
    <Page
      title={list.name}
      about={
        <Group component="span" gap="sm">
          <Anchor component={Link} to="/contacts">
            {say.all}
          </Anchor>
          <span>{counted(language, list.contacts_count, say.one, say.other)}</span>
          {list.contacts_count > 0 && (
            <span>
              {say.rcs} <Reach list={list} />
            </span>
          )}
        </Group>
      }
      actions={
        <>
          {adding}
          <For permission="send">
            <Button
              renderRoot={(props) => <Link to="/send" search={{ list: list.id } as never} {...props} />}
              leftSection={<IconSend size={18} aria-hidden />}
            >
              {say.send}
            </Button>
          </For>
          <MoreMenu list={list} onRename={() => setOpened('rename')} />
        </>
      }
    >
      <SearchField label={say.search} {...field} />
      <ContactsTable
        listId={list.id}
        search={search}
        onEdit={setContact}
        empty={
          search === '' ? (
            <EmptyState
              icon={<IconUserPlus size={28} aria-hidden />}
              title={say.none}
              action={<Group justify="center">{adding}</Group>}
            >
              {say.noneHint}
            </EmptyState>
          ) : (
            <EmptyState icon={<IconSearch size={28} aria-hidden />} title={say.notFound}>
              {say.notFoundHint}
            </EmptyState>
          )
        }
      />
      <ContactDialog listId={list.id} contact={contact} onClose={() => setContact(undefined)} />
      <ImportDialog list={list} isOpen={opened === 'import'} onClose={close} />
      <ListNameDialog list={list} isOpen={opened === 'rename'} onClose={close} />
    </Page>
  )
}

function MoreMenu({ list, onRename }: { list: List; onRename(): void }) {
  const say = useWords(words)
  const navigate = useNavigate()
  const exporting = useWords(exportWords)
  const [isOpen, menu] = useDisclosure()
  const askToDelete = useDeleteList({ onDeleted: () => void navigate({ to: '/contacts' }) })
  const save = useExport(() => extractContacts(list.id), `${list.name}.csv`)
  return (
    <Menu position="bottom-end" withinPortal opened={isOpen} onChange={(next) => (next ? menu.open() : menu.close())}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={say.more} loading={save.isPending}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => save.mutate()}>
          {exporting.export}
        </Menu.Item>
        <For permission="contacts">
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onRename}>
            {say.rename}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => askToDelete(list)}
          >
            {say.remove}
          </Menu.Item>
        </For>
      </Menu.Dropdown>
    </Menu>
  )
}
