import { Badge, Button, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { EmptyState, ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { ACTS, REFUSED_ACTS } from '../acts.ts'
import { type AuditEntry, type AuditFilters, auditQuery } from '../api/audit.ts'
import { isEmpty, useValues } from '../use-values.ts'

const words = defineWords(
  {
    title: 'Audit trail',
    when: 'Date',
    what: 'What happened',
    from: 'IP address',
    none: 'No entries found',
    noneHint: 'Every change on this account appears here, with its author.',
    more: 'Older entries',
    key: (name: string) => `Key “${name}”`,
    firstKey: 'First key',
    unknownKey: 'A deleted key',
    unknownPerson: 'A person who has left',
    above: 'The parent account',
    refused: 'Refused',
    viewed: 'View only',
    changed: 'changed',
    onlyThese: (name: string) => `Show only the acts of ${name}`,
    onAccount: (id: number) => `on account ${id}`,
    did: (operation: string) => `did ${operation}`,
    colon: ': '
  },
  {
    title: 'Journal',
    when: 'Date',
    what: 'Action',
    from: 'Adresse IP',
    none: 'Aucune entrée',
    noneHint: 'Chaque modification de ce compte apparaît ici, avec son auteur.',
    more: 'Entrées plus anciennes',
    key: (name: string) => `La clé « ${name} »`,
    firstKey: 'Première clé',
    unknownKey: 'Une clé supprimée',
    unknownPerson: 'Une personne partie',
    above: 'Le compte parent',
    refused: 'Refusé',
    viewed: 'Consultation',
    changed: 'modifié',
    onlyThese: (name: string) => `Afficher seulement les actions de ${name}`,
    onAccount: (id: number) => `sur le compte ${id}`,
    did: (operation: string) => `a fait ${operation}`,
    colon: ' : '
  }
)

/** The entries that the filters leave, newest first. */
export function AuditTable({
  filters,
  accountId,
  timeZone,
  onAuthor
}: {
  filters: AuditFilters
  /** The account of the reader. */
  accountId: number
  timeZone: string
  /** Called when the reader wants to see the acts of one author only. */
  onAuthor(author: { person?: number; key?: number; name: string }): void
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const isPhone = useIsPhone()
  const { data, isError, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(filters)
  )
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <RowsLoading rows={8} height={44} />
  const entries = data.pages.flatMap(({ items }) => items)
  if (entries.length === 0) {
    return (
      <EmptyState icon={<IconHistory size={28} aria-hidden />} title={say.none}>
        {say.noneHint}
      </EmptyState>
    )
  }
  return (
    <Stack>
      <Table.ScrollContainer minWidth={isPhone ? 0 : 560}>
        <Table verticalSpacing="xs" aria-label={say.title}>
          <Table.Thead>
            <Table.Tr>
              {!isPhone && <Table.Th w={210}>{say.when}</Table.Th>}
              <Table.Th>{say.what}</Table.Th>
              {!isPhone && <Table.Th w={150}>{say.from}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {entries.map((entry) => (
              <Table.Tr key={entry.id}>
                {!isPhone && (
                  <Table.Td className="digits" style={{ verticalAlign: 'top' }}>
                    {formats.exact(entry.created_at)}
                  </Table.Td>
                )}
                <Table.Td>
                  <Sentence entry={entry} accountId={accountId} onAuthor={onAuthor} />
                  <Changes changes={entry.changes} />
                  {isPhone && (
                    <Text size="xs" c="dimmed" className="digits">
                      {[formats.exact(entry.created_at), ...(entry.address === null ? [] : [entry.address])].join(
                        ' · '
                      )}
                    </Text>
                  )}
                </Table.Td>
                {!isPhone && (
                  <Table.Td className="digits" style={{ verticalAlign: 'top' }}>
                    {entry.address ?? '–'}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {say.more}
        </Button>
      )}
    </Stack>
  )
}

function Sentence({
  entry,
  accountId,
  onAuthor
}: {
  entry: AuditEntry
  accountId: number
  onAuthor(author: { person?: number; key?: number; name: string }): void
}) {
  const say = useWords(words)
  const language = useLanguage()
  const acts = (entry.refused && REFUSED_ACTS[entry.operation]) || ACTS[entry.operation]
  const act = acts?.[language].replace('{id}', entry.object_id ?? '').trim() ?? say.did(entry.operation)
  const author = authorOf(entry, say)
  const filter = { ...(entry.person_id && { person: entry.person_id }), ...(entry.key_id && { key: entry.key_id }) }
  const isKnown = entry.person_id !== null || entry.key_id !== null
  return (
    <Group gap={6} wrap="wrap">
      <Text component="span">
        {isKnown ? (
          <UnstyledButton
            fw={600}
            title={say.onlyThese(author)}
            onClick={() => onAuthor({ ...filter, name: author })}
            style={{ textDecoration: 'underline dotted' }}
          >
            {author}
          </UnstyledButton>
        ) : (
          <b>{author}</b>
        )}{' '}
        {act}
        {entry.on_account_id !== accountId &&
          entry.object_kind !== 'account' &&
          ` ${say.onAccount(entry.on_account_id)}`}
      </Text>
      {entry.refused && (
        <Badge color="red" tt="none">
          {say.refused}
        </Badge>
      )}
      {entry.viewed_from !== null && (
        <Badge color="gray" tt="none">
          {say.viewed}
        </Badge>
      )}
    </Group>
  )
}

function authorOf(entry: AuditEntry, say: (typeof words)['en']): string {
  if (entry.person_id !== null) return entry.person_name ?? say.unknownPerson
  if (entry.key_id !== null) {
    if (entry.key_name === null) return say.unknownKey
    // The service names it so; its owner may have renamed it.
    return say.key(entry.key_name === 'First key' ? say.firstKey : entry.key_name)
  }
  return entry.account_id === entry.on_account_id ? say.unknownPerson : say.above
}

function Changes({ changes }: { changes: AuditEntry['changes'] }) {
  const say = useWords(words)
  const language = useLanguage()
  const show = useValues()
  // No country is every country.
  const shown = changes.filter(
    ({ field, hidden, before, after }) => hidden || field === 'countries' || !isEmpty(before) || !isEmpty(after)
  )
  if (shown.length === 0) return null
  return (
    <Stack gap={0}>
      {shown.map(({ field, hidden, before, after }) => (
        <Text key={field} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {fieldName(field, language)}
          {say.colon}
          {hidden
            ? say.changed
            : isEmpty(before)
              ? show(field, after)
              : `${show(field, before)} → ${show(field, after)}`}
        </Text>
      ))}
    </Stack>
  )
}

const FIELDS: Record<string, { en: string; fr: string }> = {
  access: { en: 'access', fr: 'accès' },
  accounts: { en: 'accounts', fr: 'comptes' },
  added: { en: 'added', fr: 'ajoutés' },
  addresses: { en: 'networks', fr: 'réseaux' },
  assigned_to: { en: 'assigned to', fr: 'attribuée à' },
  calendar: { en: 'public holidays', fr: 'jours fériés' },
  closed: { en: 'closed', fr: 'fermée' },
  console_host: { en: 'host of the console', fr: 'hôte de la console' },
  contacts: { en: 'contacts', fr: 'contacts' },
  content: { en: 'content', fr: 'contenu' },
  costs: { en: 'costs', fr: 'coûts' },
  countries: { en: 'countries', fr: 'pays' },
  country: { en: 'country', fr: 'pays' },
  credit_price: { en: 'price of a credit', fr: 'prix d’un crédit' },
  credits: { en: 'credits', fr: 'crédits' },
  credits_mode: { en: 'credits mode', fr: 'mode de crédits' },
  credits_per_day: { en: 'credits per day', fr: 'crédits par jour' },
  credits_rcs: { en: 'RCS credits', fr: 'crédits RCS' },
  credits_sms: { en: 'SMS credits', fr: 'crédits SMS' },
  default_sender: { en: 'sender', fr: 'expéditeur' },
  email: { en: 'email', fr: 'e-mail' },
  erased: { en: 'erased records', fr: 'données effacées' },
  expires_at: { en: 'end', fr: 'fin' },
  first_name: { en: 'first name', fr: 'prénom' },
  granted: { en: 'granted', fr: 'attribué' },
  hours_end: { en: 'latest marketing hour', fr: 'heure limite marketing' },
  in_doubt: { en: 'unconfirmed messages', fr: 'messages non confirmés' },
  is_required: { en: 'required', fr: 'obligatoire' },
  key: { en: 'key', fr: 'clé' },
  keyword: { en: 'keyword', fr: 'mot-clé' },
  kind: { en: 'kind', fr: 'type' },
  last_name: { en: 'last name', fr: 'nom' },
  link_host: { en: 'host of links', fr: 'hôte des liens' },
  name: { en: 'name', fr: 'nom' },
  note: { en: 'note', fr: 'note' },
  number: { en: 'number', fr: 'numéro' },
  password: { en: 'password', fr: 'mot de passe' },
  phone_number: { en: 'phone', fr: 'téléphone' },
  price_list: { en: 'price list', fr: 'grille tarifaire' },
  prices: { en: 'prices', fr: 'prix' },
  reason: { en: 'reason', fr: 'motif' },
  replayed: { en: 'redelivered', fr: 'renvoyés' },
  role: { en: 'role', fr: 'rôle' },
  rules: { en: 'rules', fr: 'règles' },
  scopes: { en: 'permissions', fr: 'droits' },
  secret: { en: 'secret', fr: 'secret' },
  sender: { en: 'sender', fr: 'expéditeur' },
  sender_mode: { en: 'approval of senders', fr: 'validation des expéditeurs' },
  sending: { en: 'sending', fr: 'envoi' },
  social_reason: { en: 'company', fr: 'société' },
  standing: { en: 'status', fr: 'statut' },
  state: { en: 'status', fr: 'statut' },
  sundays_and_holidays: { en: 'Sundays and public holidays', fr: 'dimanches et jours fériés' },
  system_id: { en: 'system_id', fr: 'system_id' },
  time_zone: { en: 'time zone', fr: 'fuseau horaire' },
  type: { en: 'type', fr: 'type' },
  typography: { en: 'plain characters', fr: 'caractères simples' },
  updated: { en: 'updated', fr: 'mis à jour' },
  use: { en: 'use', fr: 'usage' },
  version: { en: 'version', fr: 'version' },
  webhooks: { en: 'webhooks', fr: 'webhooks' },
  winner: { en: 'winner', fr: 'gagnante' },
  withdrawn: { en: 'withdrawn', fr: 'retirés' }
}

function fieldName(field: string, language: 'en' | 'fr'): string {
  return FIELDS[field]?.[language] ?? field.replaceAll('_', ' ')
}
