import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { type ContactList, deleteContactList, forgetList } from '../api/contact-lists.ts'

const words = defineWords(
  {
    title: (name: string) => `Delete “${name}”?`,
    empty: 'The list is empty.',
    what: (contacts: string) => `${contacts} with it. Messages that were sent stay in the history.`,
    one: 'contact will be deleted',
    other: 'contacts will be deleted',
    confirm: 'Delete the list',
    cancel: 'Cancel',
    done: (name: string) => `“${name}” was deleted.`
  },
  {
    title: (name: string) => `Supprimer « ${name} » ?`,
    empty: 'La liste est vide.',
    what: (contacts: string) => `${contacts} avec elle. L’historique des messages envoyés est conservé.`,
    one: 'contact sera supprimé',
    other: 'contacts seront supprimés',
    confirm: 'Supprimer la liste',
    cancel: 'Annuler',
    done: (name: string) => `« ${name} » a été supprimée.`
  }
)

/** Asks, then deletes a list with its contacts. */
export function useDeleteList({ onDeleted }: { onDeleted?: () => void } = {}) {
  const say = useWords(words)
  const language = useLanguage()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: ContactList) => deleteContactList(id),
    async onSuccess(_answer, { id, name }) {
      onDeleted?.()
      notifications.show({ message: say.done(name) })
      await forgetList(client, id)
    }
  })
  return (list: ContactList) =>
    askFirst({
      title: say.title(list.name),
      children: (
        <Text>
          {list.contacts_count === 0 ? say.empty : say.what(counted(language, list.contacts_count, say.one, say.other))}
        </Text>
      ),
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(list)
    })
}
