import { Alert, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconSend } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../features/account/api/may.ts'
import { fieldWords } from '../features/contacts/fields.ts'
import { countQuery, SEGMENTS, type Segment, saveSegment, segmentQuery } from '../features/segments/api/segments.ts'
import { RulesEditor } from '../features/segments/components/rules-editor.tsx'
import { isComplete, newField, type Rule, type Rules } from '../features/segments/rules.ts'
import { counted, defineWords, useLanguage, useWords } from '../lib/language.ts'
import { useUnsavedWarning } from '../ui/leave-warning.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Segment',
    create: 'New segment',
    name: 'Name',
    save: 'Save',
    saved: 'The segment was saved.',
    send: 'Send to this segment',
    one: 'person',
    other: 'people',
    counting: 'Counting…',
    incomplete: 'Complete the rules to see how many people match.',
    broken: 'These rules use something that was deleted:'
  },
  {
    title: 'Segment',
    create: 'Nouveau segment',
    name: 'Nom',
    save: 'Enregistrer',
    saved: 'Le segment est enregistré.',
    send: 'Envoyer à ce segment',
    one: 'personne',
    other: 'personnes',
    counting: 'Calcul en cours…',
    incomplete: 'Complétez les règles pour voir combien de personnes correspondent.',
    broken: 'Ces règles utilisent un élément supprimé :'
  }
)

/** The pause after the last change before people are counted again. */
const REST_MS = 400

export function SegmentPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const isNew = id === 'new'
  const { data, error, refetch } = useQuery({ ...segmentQuery(Number(id)), enabled: !isNew })
  if (isNew) return <Editor key="new" />
  if (data) return <Editor key={data.id} segment={data} />
  return (
    <Page title={say.title}>{error ? <ErrorState error={error} reset={() => void refetch()} /> : <RowsLoading />}</Page>
  )
}

function Editor({ segment }: { segment?: Segment }) {
  const say = useWords(words)
  const client = useQueryClient()
  const navigate = useNavigate()
  const mayChange = useMay('contacts')
  const maySend = useMay('send')
  const { tel: _tel, ...fields } = useWords(fieldWords)
  const [name, setName] = useState(segment?.name ?? '')
  const [rules, setRules] = useState<{ match: Rules['match']; rules: Rule[] }>({
    match: segment?.match ?? 'all',
    rules: (segment?.rules as Rule[] | undefined) ?? [newField()]
  })
  const [isChanged, setIsChanged] = useState(false)
  useUnsavedWarning(isChanged)
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: () => saveSegment({ id: segment?.id, name, ...(rules as Rules) }),
    async onSuccess({ id }) {
      setIsChanged(false)
      notifications.show({ message: say.saved })
      await client.invalidateQueries({ queryKey: SEGMENTS })
      await navigate({ to: '/segments/$id', params: { id: String(id) }, replace: true, ignoreBlocker: true })
    }
  })
  const problems = save.isSuccess ? [] : (segment?.problems ?? [])
  return (
    <Page
      title={segment?.name ?? say.create}
      actions={
        segment &&
        maySend && (
          <Button
            variant="default"
            leftSection={<IconSend size={18} aria-hidden />}
            onClick={() => void navigate({ href: `/send?segment=${segment.id}` })}
          >
            {say.send}
          </Button>
        )
      }
    >
      {problems.length > 0 && (
        <Alert color="red" title={say.broken}>
          {problems.map(({ path, message }) => (
            <Text key={path} size="sm">
              {path} {message}
            </Text>
          ))}
        </Alert>
      )}
      <Paper withBorder p="md">
        <fieldset className="plain-fieldset" disabled={!mayChange}>
          <Stack>
            <TextInput
              label={say.name}
              required
              maxLength={255}
              value={name}
              onChange={(event) => {
                setIsChanged(true)
                setName(event.currentTarget.value)
              }}
            />
            <RulesEditor
              value={rules}
              fields={fields}
              onChange={(rules) => {
                setIsChanged(true)
                setRules(rules)
              }}
            />
            <Count rules={rules as Rules} isComplete={isComplete(rules)} />
            {save.error && <Problem error={save.error} />}
            {mayChange && (
              <Group>
                <Button
                  loading={save.isPending}
                  disabled={name.trim() === '' || !isComplete(rules)}
                  onClick={() => save.mutate()}
                >
                  {say.save}
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </Paper>
    </Page>
  )
}

function Count({ rules, isComplete }: { rules: Rules; isComplete: boolean }) {
  const say = useWords(words)
  const language = useLanguage()
  const [rested] = useDebouncedValue(rules, REST_MS)
  const isRested = rested === rules
  const { data, error } = useQuery(countQuery(rested, isComplete && isRested))
  if (error && isRested) return <Problem error={error} />
  const text = !isComplete
    ? say.incomplete
    : data && isRested
      ? counted(language, data.count, say.one, say.other)
      : say.counting
  return (
    <Text role="status" fw={isComplete ? 600 : 400} className="digits">
      {text}
    </Text>
  )
}
