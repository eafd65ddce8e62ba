import { ActionIcon, Stack, Text } from '@mantine/core'
import { IconMessageQuestion, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, type Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { SearchField, useSearch } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'

const words = defineWords(
  {
    title: 'Keywords of all accounts',
    about: 'A word on a number belongs to one account. Delete a word that keeps others from a number that they share.',
    word: 'Word',
    number: 'Number',
    account: 'Account',
    since: 'Since',
    actions: 'Actions',
    search: 'Search by word or number',
    none: 'No account has a keyword',
    noneHint: 'Accounts add keywords on their page of consents.',
    remove: (keyword: string, number: string) => `Delete ${keyword} on ${number}`,
    removeHint: 'People who write it are no longer asked for their consent. Another account may take the word.',
    confirm: 'Delete',
    cancel: 'Cancel'
  },
  {
    title: 'Mots-clés de tous les comptes',
    about:
      'Un mot sur un numéro appartient à un seul compte. Supprimez celui qui gêne les autres sur un numéro partagé.',
    word: 'Mot',
    number: 'Numéro',
    account: 'Compte',
    since: 'Depuis',
    actions: 'Actions',
    search: 'Rechercher un mot ou un numéro',
    none: 'Aucun compte n’a de mot-clé',
    noneHint: 'Les comptes en ajoutent sur leur page des consentements.',
    remove: (keyword: string, number: string) => `Supprimer ${keyword} au ${number}`,
    removeHint:
      'Les personnes qui l’écrivent ne reçoivent plus la question de consentement. Un autre compte peut prendre le mot.',
    confirm: 'Supprimer',
    cancel: 'Annuler'
  }
)

const KEY = ['operator-keywords']
const SEARCH_LENGTH_MAX = 20

export function OperatorKeywords({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const client = useQueryClient()
  const { search, ...field } = useSearch()
  const remove = useMutation({
    mutationFn: ({ id }: Schemas['OwnedConsentKeyword']) => call('deleteAnyKeyword', { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY })
  })
  const askToRemove = (word: Schemas['OwnedConsentKeyword']) =>
    askFirst({
      title: say.remove(word.keyword, word.number),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(word)
    })
  return (
    <Stack>
      <Text c="dimmed">{say.about}</Text>
      <SearchField label={say.search} maxLength={SEARCH_LENGTH_MAX} {...field} />
      <DataTable<Schemas['OwnedConsentKeyword']>
        label={say.title}
        queryKey={[...KEY, search]}
        fetchPage={(page, signal) => call('pageAllKeywords', { query: { ...page, search }, signal })}
        rowKey={({ id }) => id}
        columns={[
          { key: 'word', title: say.word, width: '1fr', cell: ({ keyword }) => keyword },
          {
            key: 'number',
            title: say.number,
            width: '1fr',
            cell: ({ number }) => <span className="digits">{number}</span>
          },
          {
            key: 'account',
            title: say.account,
            width: '1fr',
            cell: ({ account_id: id }) => (
              <Link to="/operator/accounts/$id" params={{ id: String(id) }}>
                {id}
              </Link>
            )
          },
          {
            key: 'since',
            title: say.since,
            width: '1fr',
            isWide: true,
            cell: ({ created_at: createdAt }) => formats.moment(createdAt)
          },
          {
            key: 'actions',
            title: say.actions,
            isTitleHidden: true,
            width: '36px',
            cell: (word) => (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={say.remove(word.keyword, word.number)}
                onClick={() => askToRemove(word)}
              >
                <IconTrash size={18} aria-hidden />
              </ActionIcon>
            )
          }
        ]}
        empty={
          <EmptyState icon={<IconMessageQuestion size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Stack>
  )
}
