import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconDotsVertical, IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { pageOf } from '../../../ui/page-of.ts'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { type ContactList, contactListsQuery } from '../api/contact-lists.ts'
import { useDeleteList } from './delete-list.tsx'
import { ListNameDialog } from './list-name-dialog.tsx'
import { ReachCell } from './rcs-reach.tsx'

const words = defineWords(
  {
    lists: 'Contact lists',
    name: 'Name',
    contacts: 'Contacts',
    rcs: 'RCS reach',
    created: 'Created',
    actions: 'Actions',
    more: (name: string) => `Actions for ${name}`,
    send: 'Send to this list',
    rename: 'Rename',
    remove: 'Delete'
  },
  {
    lists: 'Listes de contacts',
    name: 'Nom',
    contacts: 'Contacts',
    rcs: 'Portée RCS',
    created: 'Créée le',
    actions: 'Actions',
    more: (name: string) => `Actions pour ${name}`,
    send: 'Envoyer à cette liste',
    rename: 'Renommer',
    remove: 'Supprimer'
  }
)

const POLL_MS = 15_000

export function ListsTable({ search, empty }: { search: string; empty: ReactNode }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const client = useQueryClient()
  const [renamed, setRenamed] = useState<ContactList>()
  const mayChange = useMay('contacts')
  return (
    <>
      <DataTable
        label={say.lists}
        queryKey={['contact lists', search, 'pages']}
        // The service answers all lists at once; the first page fetches them for all pages.
        fetchPage={async (page) =>
          pageOf(await client.fetchQuery({ ...contactListsQuery(search), staleTime: 500 }), page)
        }
        rowKey={({ id }) => id}
        linkOf={({ id }) => `/contacts/${id}`}
        refetchMs={POLL_MS}
        columns={[
          { key: 'name', title: say.name, width: 'minmax(0, 2fr)', cell: (list) => <Name list={list} /> },
          {
            key: 'contacts',
            title: say.contacts,
            width: '96px',
            align: 'right',
            cell: (list) => <span className="digits">{formats.number(list.contacts_count)}</span>
          },
          { key: 'rcs', title: say.rcs, width: '180px', isWide: true, cell: (list) => <ReachCell list={list} /> },
          {
            key: 'created',
            title: say.created,
            width: '140px',
            isWide: true,
            cell: (list) => formats.day(list.created_at)
          },
          ...(mayChange
            ? [
                {
                  key: 'actions',
                  title: say.actions,
                  isTitleHidden: true,
                  width: '36px',
                  cell: (list: ContactList) => <ListMenu list={list} onRename={() => setRenamed(list)} />
                }
              ]
            : [])
        ]}
        empty={empty}
      />
      <ListNameDialog list={renamed} isOpen={renamed !== undefined} onClose={() => setRenamed(undefined)} />
    </>
  )
}

function Name({ list }: { list: ContactList }) {
  return (
    <Text span fw={500} size="sm" title={list.name}>
      {list.name}
    </Text>
  )
}

function ListMenu({ list, onRename }: { list: ContactList; onRename(): void }) {
  const say = useWords(words)
  const navigate = useNavigate()
  const askToDelete = useDeleteList()
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={say.more(list.name)}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => void navigate({ href: `/send?list=${list.id}` })}
        >
          {say.send}
        </Menu.Item>
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
      </Menu.Dropdown>
    </Menu>
  )
}
