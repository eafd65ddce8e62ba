import { Alert, Button, Checkbox, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useUnitPrice } from '../features/account/api/credits.ts'
import { useMay } from '../features/account/api/may.ts'
import { meQuery } from '../features/account/api/me.ts'
import {
  AUTOMATIONS,
  type Automation,
  automationQuery,
  saveAutomation
} from '../features/automations/api/automations.ts'
import { type AutomationForm, emptyForm, isReady, toForm, toInput } from '../features/automations/automation-form.ts'
import { useAutomationActs } from '../features/automations/components/automation-acts.ts'
import { RunsTable } from '../features/automations/components/runs-table.tsx'
import { ScheduleFields } from '../features/automations/components/schedule-fields.tsx'
import { useDryRun } from '../features/compose/api/dry-run.ts'
import { usePeople } from '../features/compose/api/people.ts'
import { ListsAndSegments } from '../features/compose/components/audience-card.tsx'
import { ComposerGrid } from '../features/compose/components/composer-grid.tsx'
import { ChannelControl, MessageCard } from '../features/compose/components/message-card.tsx'
import { OptionsCard } from '../features/compose/components/options-card.tsx'
import { Preview } from '../features/compose/components/preview.tsx'
import { SummaryCard } from '../features/compose/components/summary-card.tsx'
import { type Draft, hasContent } from '../features/compose/draft.ts'
import { useActKey } from '../lib/act-key.ts'
import { ApiError, type Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { useSentences } from '../lib/refusals.ts'
import { useUnsavedWarning } from '../ui/leave-warning.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { RuleBadge, RuleButtons } from '../ui/rule-acts.tsx'
import { RuleHistory } from '../ui/rule-history.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Automation',
    create: 'New automation',
    when: 'Schedule and recipients',
    name: 'Name of the automation',
    once: 'Only once to each person',
    onceHint: 'Nobody gets it twice. Useful for a welcome message.',
    cost: 'Cost of a run now.',
    save: 'Save',
    saveOn: 'Save and turn on',
    saved: 'The automation was saved.',
    problem: 'The last run was refused',
    nextRun: (moment: string) => `Next run: ${moment}.`,
    isOff: 'It does not run.',
    historyHint: 'Runs that sent a message, or were refused. A run without recipients is not listed.'
  },
  {
    title: 'Automatisation',
    create: 'Nouvelle automatisation',
    when: 'Planification et destinataires',
    name: 'Nom de l’automatisation',
    once: 'Une seule fois par personne',
    onceHint: 'Personne ne le reçoit deux fois. Utile pour un message de bienvenue.',
    cost: 'Coût d’une exécution maintenant.',
    save: 'Enregistrer',
    saveOn: 'Enregistrer et activer',
    saved: 'L’automatisation est enregistrée.',
    problem: 'La dernière exécution a été refusée',
    nextRun: (moment: string) => `Prochaine exécution : ${moment}.`,
    isOff: 'Elle ne s’exécute pas.',
    historyHint: 'Les exécutions qui ont envoyé un message ou ont été refusées. Sans destinataire, rien n’est listé.'
  }
)

const REST_MS = 350
const REFETCH_MS = 15_000

export function AutomationPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const isNew = id === 'new'
  const me = useQuery(meQuery)
  const automation = useQuery({ ...automationQuery(Number(id)), enabled: !isNew, refetchInterval: REFETCH_MS })
  if (me.data && isNew) return <Editor key="new" me={me.data} />
  if (me.data && automation.data) return <Editor key={id} me={me.data} automation={automation.data} />
  const failed = [me, automation].find(({ error }) => error)
  return (
    <Page title={say.title}>
      {failed ? <ErrorState error={failed.error} reset={() => void failed.refetch()} /> : <RowsLoading rows={3} />}
    </Page>
  )
}

function Editor({ me, automation }: { me: Schemas['Me']; automation?: Automation }) {
  const say = useWords(words)
  const mayChange = useMay('send')
  const client = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm] = useState<AutomationForm>(() => (automation ? toForm(automation) : emptyForm()))
  const [isChanged, setIsChanged] = useState(false)
  const key = useActKey()
  const { draft } = form
  const save = useMutation({
    meta: { isShown: true },
    mutationFn(isOn: boolean) {
      const input = toInput({ ...form, isOn })
      return saveAutomation(automation?.id, input, key.keyOf({ id: automation?.id, ...input }))
    },
    async onSuccess(saved) {
      key.renew()
      setIsChanged(false)
      notifications.show({ message: say.saved })
      client.setQueryData(automationQuery(saved.id).queryKey, saved)
      if (!automation)
        await navigate({ to: '/automations/$id', params: { id: String(saved.id) }, replace: true, ignoreBlocker: true })
      await client.invalidateQueries({ queryKey: AUTOMATIONS })
    }
  })
  useUnsavedWarning(isChanged && !save.isSuccess)
  function change(changes: Partial<AutomationForm>): void {
    // The problems, and the success, were those of other fields.
    save.reset()
    setIsChanged(true)
    setForm((now) => ({ ...now, ...changes }))
  }
  const write = (changes: Partial<Draft>) => change({ draft: { ...draft, ...changes } })
  const problems = problemsOf(save.error)
  const people = usePeople(draft)
  return (
    <Page title={automation?.name ?? say.create} actions={automation && mayChange && <Acts automation={automation} />}>
      {automation && <Standing automation={automation} timeZone={me.time_zone} />}
      <fieldset className="plain-fieldset" disabled={!mayChange}>
        <ComposerGrid
          fields={
            <>
              <Paper withBorder p="md" component="section" aria-label={say.when}>
                <Stack>
                  <Title order={2} size="h4">
                    {say.when}
                  </Title>
                  <TextInput
                    label={say.name}
                    required
                    maxLength={255}
                    value={form.name}
                    onChange={(event) => change({ name: event.currentTarget.value })}
                    error={problems.name}
                  />
                  <ScheduleFields
                    crontab={form.schedule}
                    onChange={(schedule) => change({ schedule })}
                    timeZone={me.time_zone}
                    problem={problems.schedule}
                  />
                  <ListsAndSegments draft={draft} onChange={write} isRepeated />
                  <Checkbox
                    label={say.once}
                    description={say.onceHint}
                    checked={form.isOnce}
                    onChange={(event) => change({ isOnce: event.currentTarget.checked })}
                  />
                </Stack>
              </Paper>
              <ChannelControl channel={draft.channel} onChange={(channel) => write({ channel })} />
              <MessageCard draft={draft} onChange={write} problems={problems} people={people} />
              <OptionsCard
                draft={draft}
                onChange={write}
                problems={problems}
                hoursEnd={me.settings.hours_end}
                isEveryDay={me.settings.sundays_and_holidays}
                timeZone={me.time_zone}
                hasTime={false}
              />
            </>
          }
          beside={
            <>
              <Cost draft={draft} />
              {save.isError && <Problem error={save.error} />}
              {mayChange && (
                <Button
                  disabled={!isReady(form)}
                  loading={save.isPending}
                  onClick={() => save.mutate(automation?.is_on ?? true)}
                >
                  {automation ? say.save : say.saveOn}
                </Button>
              )}
              <Preview
                draft={draft}
                people={people}
                sender={draft.sender || me.settings.sender || 'CHAPPE'}
                stopMention={me.stop_mention}
              />
            </>
          }
        />
      </fieldset>
      {automation && (
        <RuleHistory hint={say.historyHint}>
          <RunsTable automationId={automation.id} timeZone={me.time_zone} />
        </RuleHistory>
      )}
    </Page>
  )
}

/** The cost of a run, while the message is being written. */
function Cost({ draft }: { draft: Draft }) {
  const say = useWords(words)
  const [rested] = useDebouncedValue(draft, REST_MS)
  const { data, isLoading, error, isForAll, isLargeFile, isPlaceholderData } = useDryRun(rested)
  const unitPrice = useUnitPrice(draft.channel === 'sms' ? 1 : 2)
  return (
    <SummaryCard
      figures={hasContent(draft) ? data : undefined}
      isLoading={isLoading}
      error={error}
      isForAll={isForAll}
      isLargeFile={isLargeFile}
      isStale={isPlaceholderData || draft !== rested}
      unitPrice={unitPrice}
      note={say.cost}
    />
  )
}

/** Whether it runs, when next, and what was wrong the last time. */
function Standing({ automation, timeZone }: { automation: Automation; timeZone: string }) {
  const say = useWords(words)
  const translate = useSentences()
  const formats = useFormats(timeZone)
  const { next_at: nextAt, last_problem: problem } = automation
  return (
    <Stack gap="xs" align="flex-start">
      <RuleBadge isOn={automation.is_on} isFailed={problem !== null} />
      <Text>{nextAt === null ? say.isOff : say.nextRun(formats.full(nextAt))}</Text>
      {problem !== null && (
        <Alert color="red" title={say.problem}>
          {translate(problem)}
        </Alert>
      )}
    </Stack>
  )
}

function Acts({ automation }: { automation: Automation }) {
  const navigate = useNavigate()
  return (
    <RuleButtons
      {...useAutomationActs(automation)}
      onDeleted={() => void navigate({ to: '/automations', ignoreBlocker: true })}
    />
  )
}

/** By the names that the fields of a message have for themselves. */
function problemsOf(error: Error | null): Record<string, string> {
  const fields = error instanceof ApiError ? error.fields : {}
  return Object.fromEntries(
    Object.entries(fields).map(([path, message]) => [path.replace(/^(sms|rcs)\./, ''), message])
  )
}
