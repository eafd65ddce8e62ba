import { ActionIcon, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { useMay } from '../../account/api/may.ts'
import { refreshLists } from '../api/contact-lists.ts'
import { type Contact, contactsKey, deleteContact, pageContacts } from '../api/contacts.ts'
import { fieldWords } from '../fields.ts'

const words = defineWords(
  {
    contacts: 'Contacts of the list',
    name: 'Name',
    phone: 'Phone',
    editing: 'Edit',
    removing: 'Delete',
    edit: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Delete ${name}`,
    removeTitle: (name: string) => `Delete ${name}?`,
    removeHint: 'Only from this list. The STOP of this number is kept.',
    confirm: 'Delete the contact',
    cancel: 'Cancel',
    removed: (name: string) => `${name} was deleted.`
  },
  {
    contacts: 'Contacts de la liste',
    name: 'Nom',
    phone: 'Téléphone',
    editing: 'Modifier',
    removing: 'Supprimer',
    edit: (name: string) => `Modifier ${name}`,
    remove: (name: string) => `Supprimer ${name}`,
    removeTitle: (name: string) => `Supprimer ${name} ?`,
    removeHint: 'De cette liste seulement. Le STOP de ce numéro est conservé.',
    confirm: 'Supprimer le contact',
    cancel: 'Annuler',
    removed: (name: string) => `${name} a été supprimé.`
  }
)

interface Given {
  listId: number
  search: string
  empty: ReactNode
  onEdit(contact: Contact): void
}

export function ContactsTable({ listId, search, empty, onEdit }: Given) {
  const say = useWords(words)
  const fields = useWords(fieldWords)
  const askToDelete = useDeleteContact(listId)
  const mayChange = useMay('contacts')
  const acts: Column<Contact>[] = [
    {
      key: 'edit',
      title: say.editing,
      isTitleHidden: true,
      isWide: true,
      width: '28px',
      cell: (contact) => (
        <RowButton label={say.edit(titleOf(contact))} icon={IconPencil} onClick={() => onEdit(contact)} />
      )
    },
    {
      key: 'delete',
      title: say.removing,
      isTitleHidden: true,
      width: '28px',
      cell: (contact) => (
        <RowButton label={say.remove(titleOf(contact))} icon={IconTrash} onClick={() => askToDelete(contact)} />
      )
    }
  ]
  return (
    <DataTable
      label={say.contacts}
      queryKey={contactsKey(listId, search)}
      fetchPage={(page, signal) => pageContacts(listId, { ...page, search }, signal)}
      rowKey={({ id }) => id}
      {...(mayChange && { onOpen: onEdit })}
      columns={[
        { key: 'name', title: say.name, width: 'minmax(0, 1.4fr)', cell: (contact) => fullName(contact) || '–' },
        {
          key: 'tel',
          title: say.phone,
          width: 'minmax(132px, 1fr)',
          cell: ({ tel }) => <NumberLink number={tel} withName={false} />
        },
        {
          key: 'mail',
          title: fields.champ_mail,
          width: 'minmax(0, 1.4fr)',
          isWide: true,
          cell: ({ champ_mail: mail }) => mail || '–'
        },
        {
          key: 'city',
          title: fields.champ_ville,
          width: 'minmax(0, 1fr)',
          isWide: true,
          cell: ({ champ_ville: city }) => city || '–'
        },
        ...(mayChange ? acts : [])
      ]}
      empty={empty}
    />
  )
}

/** Within a row that opens by itself. */
function RowButton({ label, icon: Icon, onClick }: { label: string; icon: typeof IconPencil; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  )
}

function useDeleteContact(listId: number) {
  const say = useWords(words)
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: Contact) => deleteContact(id),
    async onSuccess(_answer, contact) {
      notifications.show({ message: say.removed(titleOf(contact)) })
      await refreshLists(client, listId)
    }
  })
  return (contact: Contact) =>
    askFirst({
      title: say.removeTitle(titleOf(contact)),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(contact)
    })
}

const fullName = ({ champ_prenom: first, champ_nom: last }: Contact) => `${first} ${last}`.trim()
const titleOf = (contact: Contact) => fullName(contact) || formatPhone(contact.tel)
