import { Button, Grid, Group, Paper, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../features/account/api/may.ts'
import { meQuery } from '../features/account/api/me.ts'
import {
  AUTO_REPLIES,
  type AutoReply,
  autoReplyQuery,
  saveAutoReply
} from '../features/auto-replies/api/auto-replies.ts'
import { AnswersTable } from '../features/auto-replies/components/answers-table.tsx'
import { useAutoReplyActs } from '../features/auto-replies/components/auto-reply-acts.ts'
import { Preview } from '../features/compose/components/preview.tsx'
import { SenderInput, SmsText } from '../features/compose/components/sms-fields.tsx'
import { emptyDraft } from '../features/compose/draft.ts'
import { useActKey } from '../lib/act-key.ts'
import { ApiError, type Schemas } from '../lib/api.ts'
import { describeSeconds } from '../lib/describe-seconds.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { useUnsavedWarning } from '../ui/leave-warning.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { RuleBadge, RuleButtons } from '../ui/rule-acts.tsx'
import { RuleHistory } from '../ui/rule-history.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Auto-reply',
    create: 'New auto-reply',
    name: 'Name of the auto-reply',
    keywords: 'Keywords',
    keywordsHint: 'A reply is answered if its first word is one of these. Press Enter after each.',
    number: 'Only replies to',
    numberHint: 'A number or RCS agent that people write to, such as 36111. Empty: any.',
    answer: 'Reply',
    senderHint: '3 to 11 letters and digits. Empty: the number that the person wrote to, or that of the account.',
    pause: 'At most one reply per person every',
    pauseHint: 'At most 10 a day.',
    save: 'Save',
    saveOn: 'Save and turn on',
    saved: 'The auto-reply was saved.',
    historyHint: 'Each reply that began with a keyword, and what became of it.'
  },
  {
    title: 'Réponse automatique',
    create: 'Nouvelle réponse automatique',
    name: 'Nom de la réponse automatique',
    keywords: 'Mots-clés',
    keywordsHint:
      'Un message reçu obtient la réponse si son premier mot est l’un d’eux. Appuyez sur Entrée après chacun.',
    number: 'Seulement les messages adressés à',
    numberHint: 'Un numéro ou agent RCS auquel on écrit, comme 36111. Vide : tous.',
    answer: 'Réponse',
    senderHint: '3 à 11 lettres et chiffres. Vide : le numéro auquel la personne a écrit, ou celui du compte.',
    pause: 'Délai entre deux réponses à une personne',
    pauseHint: '10 réponses par jour au plus.',
    save: 'Enregistrer',
    saveOn: 'Enregistrer et activer',
    saved: 'La réponse automatique est enregistrée.',
    historyHint: 'Chaque message reçu qui commençait par un mot-clé, et ce qu’il est devenu.'
  }
)

const PAUSES_SECONDS = [60, 600, 3_600, 43_200, 86_400]

interface Form {
  name: string
  keywords: string[]
  number: string
  content: string
  sender: string
  pauseSeconds: number
}

export function AutoReplyPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const isNew = id === 'new'
  const me = useQuery(meQuery)
  const autoReply = useQuery({ ...autoReplyQuery(Number(id)), enabled: !isNew })
  if (me.data && isNew) return <Editor key="new" me={me.data} />
  if (me.data && autoReply.data) return <Editor key={id} me={me.data} autoReply={autoReply.data} />
  const failed = [me, autoReply].find(({ error }) => error)
  return (
    <Page title={say.title}>
      {failed ? <ErrorState error={failed.error} reset={() => void failed.refetch()} /> : <RowsLoading rows={3} />}
    </Page>
  )
}

function toForm(autoReply: AutoReply | undefined): Form {
  return {
    name: autoReply?.name ?? '',
    keywords: autoReply?.keywords ?? [],
    number: autoReply?.number ?? '',
    content: autoReply?.content ?? '',
    sender: autoReply?.sender ?? '',
    pauseSeconds: autoReply?.pause_seconds ?? 60
  }
}

function Editor({ me, autoReply }: { me: Schemas['Me']; autoReply?: AutoReply }) {
  const say = useWords(words)
  const mayChange = useMay('send')
  const client = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm] = useState<Form>(() => toForm(autoReply))
  const [isChanged, setIsChanged] = useState(false)
  const key = useActKey()
  const save = useMutation({
    meta: { isShown: true },
    mutationFn() {
      const { name, keywords, number, content, sender, pauseSeconds } = form
      const input = {
        name: name.trim(),
        keywords,
        number: number.trim() || null,
        content,
        sender: sender.trim() || null,
        pause_seconds: pauseSeconds,
        is_on: autoReply?.is_on ?? true
      }
      return saveAutoReply(autoReply?.id, input, key.keyOf({ id: autoReply?.id, ...input }))
    },
    async onSuccess(saved) {
      key.renew()
      setIsChanged(false)
      setForm(toForm(saved))
      notifications.show({ message: say.saved })
      client.setQueryData(autoReplyQuery(saved.id).queryKey, saved)
      if (!autoReply)
        await navigate({
          to: '/auto-replies/$id',
          params: { id: String(saved.id) },
          replace: true,
          ignoreBlocker: true
        })
      await client.invalidateQueries({ queryKey: AUTO_REPLIES })
    }
  })
  useUnsavedWarning(isChanged && !save.isSuccess)
  function change(changes: Partial<Form>): void {
    // The problems, and the success, were those of other fields.
    save.reset()
    setIsChanged(true)
    setForm((now) => ({ ...now, ...changes }))
  }
  const isReady = form.name.trim() !== '' && form.keywords.length > 0 && form.content.trim() !== ''
  return (
    <Page title={autoReply?.name ?? say.create} actions={autoReply && mayChange && <Acts autoReply={autoReply} />}>
      {autoReply && (
        <Group>
          <RuleBadge isOn={autoReply.is_on} />
        </Group>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md">
            <fieldset className="plain-fieldset" disabled={!mayChange}>
              <Stack>
                <Fields form={form} onChange={change} problems={problemsOf(save.error)} />
                {save.isError && <Problem error={save.error} />}
                {mayChange && (
                  <Group justify="flex-end">
                    <Button disabled={!isReady} loading={save.isPending} onClick={() => save.mutate()}>
                      {autoReply ? say.save : say.saveOn}
                    </Button>
                  </Group>
                )}
              </Stack>
            </fieldset>
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Preview
            draft={{ ...emptyDraft(), content: form.content }}
            people={[]}
            sender={form.sender || form.number || me.settings.sender || 'CHAPPE'}
            stopMention={me.stop_mention}
          />
        </Grid.Col>
      </Grid>
      {autoReply && (
        <RuleHistory hint={say.historyHint}>
          <AnswersTable autoReplyId={autoReply.id} timeZone={me.time_zone} />
        </RuleHistory>
      )}
    </Page>
  )
}

function Fields({
  form,
  onChange,
  problems
}: {
  form: Form
  onChange(changes: Partial<Form>): void
  problems: Record<string, string>
}) {
  const say = useWords(words)
  const language = useLanguage()
  // A program may have chosen another.
  const pauses = [...new Set([...PAUSES_SECONDS, form.pauseSeconds])].sort((one, other) => one - other)
  return (
    <>
      <TextInput
        label={say.name}
        required
        maxLength={255}
        value={form.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.name}
      />
      <TagsInput
        label={say.keywords}
        description={say.keywordsHint}
        required
        maxTags={20}
        splitChars={[',', ';', ' ']}
        acceptValueOnBlur
        value={form.keywords}
        onChange={(keywords) => onChange({ keywords })}
        error={problems.keywords}
      />
      <SmsText
        label={say.answer}
        content={form.content}
        onContent={(content) => onChange({ content })}
        problem={problems.content}
      />
      <TextInput
        label={say.number}
        description={say.numberHint}
        maxLength={100}
        value={form.number}
        onChange={(event) => onChange({ number: event.currentTarget.value })}
        error={problems.number}
      />
      <SenderInput
        sender={form.sender}
        onSender={(sender) => onChange({ sender })}
        hint={say.senderHint}
        problem={problems.sender}
      />
      <Select
        label={say.pause}
        description={say.pauseHint}
        allowDeselect={false}
        value={String(form.pauseSeconds)}
        onChange={(seconds) => onChange({ pauseSeconds: Number(seconds) })}
        data={pauses.map((seconds) => ({ value: String(seconds), label: describeSeconds(seconds, language) }))}
      />
    </>
  )
}

function Acts({ autoReply }: { autoReply: AutoReply }) {
  const navigate = useNavigate()
  return (
    <RuleButtons
      {...useAutoReplyActs(autoReply)}
      onDeleted={() => void navigate({ to: '/auto-replies', ignoreBlocker: true })}
    />
  )
}

/** The problem of one keyword is that of the field. */
function problemsOf(error: Error | null): Record<string, string> {
  const fields = error instanceof ApiError ? error.fields : {}
  const ofKeyword = Object.entries(fields).find(([path]) => path.startsWith('keywords['))?.[1]
  return { ...fields, ...(ofKeyword !== undefined && { keywords: ofKeyword }) }
}
