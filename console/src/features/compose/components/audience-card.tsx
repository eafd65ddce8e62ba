import {
  Anchor,
  Button,
  Group,
  Input,
  MultiSelect,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  Title
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ClipboardEvent } from 'react'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { contactListsQuery, segmentsQuery } from '../api/people.ts'
import { type Draft, splitNumbers } from '../draft.ts'

const words = defineWords(
  {
    title: 'Recipients',
    kind: 'Where the numbers come from',
    numbers: 'Numbers',
    lists: 'Lists',
    file: 'File',
    numbersLabel: 'Phone numbers',
    numbersHint: 'One per line, or separated by commas. National or international.',
    one: 'number',
    other: 'numbers',
    listsLabel: 'Contact lists',
    segmentsLabel: 'Segments',
    segmentsHint: 'For a scheduled message, recipients are found and credits are reserved at the send time.',
    repeatedHint: 'Recipients are looked up at each run.',
    listsPlaceholder: 'Choose one or several',
    noLists: 'There is no list yet.',
    makeList: 'Import contacts',
    dropHint: 'CSV, TXT or XLSX up to 100 MB. Each column is a variable: #first_name#.',
    contact: 'contact',
    contacts: 'contacts',
    gone: 'Deleted list',
    clear: 'Remove them all'
  },
  {
    title: 'Destinataires',
    kind: 'Origine des numéros',
    numbers: 'Numéros',
    lists: 'Listes',
    file: 'Fichier',
    numbersLabel: 'Numéros de téléphone',
    numbersHint: 'Un par ligne, ou séparés par des virgules. Format national ou international.',
    one: 'numéro',
    other: 'numéros',
    listsLabel: 'Listes de contacts',
    segmentsLabel: 'Segments',
    segmentsHint:
      'Pour un envoi programmé, les destinataires sont recherchés et les crédits réservés à la date d’envoi.',
    repeatedHint: 'Les destinataires sont recherchés à chaque exécution.',
    listsPlaceholder: 'Choisissez une ou plusieurs listes',
    noLists: 'Il n’y a pas encore de liste.',
    makeList: 'Importer des contacts',
    dropHint: 'CSV, TXT ou XLSX, 100 Mo au plus. Chaque colonne est une variable : #prenom#.',
    contact: 'contact',
    contacts: 'contacts',
    gone: 'Liste supprimée',
    clear: 'Tout retirer'
  }
)

/** Longer texts get no text area: a hundred thousand pasted lines keep Chromium busy for seven seconds. */
const TYPED_LENGTH_MAX = 20_000
const SHOWN_MAX = 3

interface Given {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  problem?: string | undefined
}

export function AudienceCard({ draft, onChange, problem }: Given) {
  const say = useWords(words)
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack>
        <Title order={2} size="h4">
          {say.title}
        </Title>
        <SegmentedControl
          fullWidth
          aria-label={say.kind}
          value={draft.audience}
          onChange={(audience) => onChange({ audience: audience as Draft['audience'] })}
          data={[
            { value: 'numbers', label: say.numbers },
            { value: 'lists', label: say.lists },
            { value: 'file', label: say.file }
          ]}
        />
        {draft.audience === 'numbers' && <Numbers draft={draft} onChange={onChange} problem={problem} />}
        {draft.audience === 'lists' && <ListsAndSegments draft={draft} onChange={onChange} />}
        {draft.audience === 'file' && <File draft={draft} onChange={onChange} />}
      </Stack>
    </Paper>
  )
}

function Numbers({ draft, onChange, problem }: Given) {
  const say = useWords(words)
  const language = useLanguage()
  const count = splitNumbers(draft.numbers).length
  function paste(event: ClipboardEvent<HTMLTextAreaElement>): void {
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const pasted = event.clipboardData.getData('text')
    const numbers = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd)
    if (numbers.length <= TYPED_LENGTH_MAX) return
    event.preventDefault()
    onChange({ numbers })
  }
  if (draft.numbers.length > TYPED_LENGTH_MAX)
    return <ManyNumbers draft={draft} onChange={onChange} problem={problem} />
  return (
    <Textarea
      label={say.numbersLabel}
      description={say.numbersHint}
      placeholder={'06 39 98 00 00\n+33 6 39 98 00 05'}
      autosize
      minRows={3}
      maxRows={10}
      value={draft.numbers}
      onChange={(event) => onChange({ numbers: event.currentTarget.value })}
      onPaste={paste}
      error={problem}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      rightSection={
        count > 0 && (
          <Text size="xs" c="dimmed" className="digits" pr="sm">
            {counted(language, count, say.one, say.other)}
          </Text>
        )
      }
      rightSectionWidth={110}
    />
  )
}

/** Thousands of numbers: to be looked at and removed, not to be typed in. */
function ManyNumbers({ draft, onChange, problem }: Given) {
  const say = useWords(words)
  const language = useLanguage()
  const numbers = splitNumbers(draft.numbers)
  return (
    <Input.Wrapper label={say.numbersLabel} labelElement="div" error={problem}>
      <Paper withBorder p="sm" mt={4}>
        <Group justify="space-between">
          <div>
            <Text fw={600} className="digits" role="status">
              {counted(language, numbers.length, say.one, say.other)}
            </Text>
            <Text size="sm" c="dimmed" className="digits">
              {numbers.slice(0, SHOWN_MAX).join(', ')} …
            </Text>
          </div>
          <Button variant="default" size="xs" onClick={() => onChange({ numbers: '' })}>
            {say.clear}
          </Button>
        </Group>
      </Paper>
    </Input.Wrapper>
  )
}

type ListDraft = Pick<Draft, 'lists' | 'segments'>

interface GivenLists {
  draft: ListDraft
  onChange(changes: Partial<ListDraft>): void
  /** Of a message that a schedule repeats. */
  isRepeated?: boolean
}

export function ListsAndSegments({ draft, onChange, isRepeated }: GivenLists) {
  return (
    <>
      <Lists draft={draft} onChange={onChange} />
      <Segments draft={draft} onChange={onChange} {...(isRepeated && { isRepeated })} />
    </>
  )
}

function Lists({ draft, onChange }: GivenLists) {
  const say = useWords(words)
  const language = useLanguage()
  const { data, error, refetch } = useQuery(contactListsQuery)
  if (error && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (data?.length === 0 && draft.lists.length === 0) {
    return (
      <Text c="dimmed">
        {say.noLists}{' '}
        <Anchor component={Link} to="/contacts" underline="always">
          {say.makeList}
        </Anchor>
      </Text>
    )
  }
  const gone = draft.lists.filter((chosen) => !data?.some(({ id }) => String(id) === chosen))
  return (
    <MultiSelect
      label={say.listsLabel}
      placeholder={draft.lists.length === 0 ? say.listsPlaceholder : ''}
      searchable
      clearable
      value={draft.lists}
      onChange={(lists) => onChange({ lists })}
      data={[
        ...(data ?? []).map(({ id, name, contacts_count: count }) => ({
          value: String(id),
          label: `${name} (${counted(language, count, say.contact, say.contacts)})`
        })),
        ...gone.map((id) => ({ value: id, label: data ? say.gone : '…' }))
      ]}
    />
  )
}

/** Nothing while the account has none. */
function Segments({ draft, onChange, isRepeated }: GivenLists) {
  const say = useWords(words)
  const { data } = useQuery(segmentsQuery)
  const known = data?.items ?? []
  if (known.length === 0 && draft.segments.length === 0) return null
  const gone = draft.segments.filter((chosen) => !known.some(({ id }) => String(id) === chosen))
  return (
    <MultiSelect
      label={say.segmentsLabel}
      description={isRepeated ? say.repeatedHint : say.segmentsHint}
      searchable
      clearable
      value={draft.segments}
      onChange={(segments) => onChange({ segments })}
      data={[
        ...known.map(({ id, name }) => ({ value: String(id), label: name })),
        ...gone.map((id) => ({ value: id, label: `${say.segmentsLabel} ${id}` }))
      ]}
    />
  )
}

function File({ draft, onChange }: Given) {
  const say = useWords(words)
  return <FileDrop file={draft.file} hint={say.dropHint} onFile={(file) => onChange({ file })} />
}
