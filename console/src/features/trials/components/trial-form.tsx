import {
  Button,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Table,
  TextInput,
  Title
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import { ApiError, type Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { useUnsavedWarning } from '../../../ui/leave-warning.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { RowsLoading } from '../../../ui/states.tsx'
import { useMe } from '../../account/api/me.ts'
import { AgentSelect } from '../../agents/components/agent-select.tsx'
import { ListsAndSegments } from '../../compose/components/audience-card.tsx'
import { ComposerGrid } from '../../compose/components/composer-grid.tsx'
import { ChannelControl } from '../../compose/components/message-card.tsx'
import { Departure, PurposeField } from '../../compose/components/options-card.tsx'
import { Preview } from '../../compose/components/preview.tsx'
import { RcsFields } from '../../compose/components/rcs-fields.tsx'
import { SenderInput, SmsText } from '../../compose/components/sms-fields.tsx'
import type { Draft } from '../../compose/draft.ts'
import { createTrial, TRIALS, trialPriceQuery } from '../api/trials.ts'
import { emptyVariant, isComplete, LABELS, type TrialDraft, toInput, type VariantDraft } from '../trial-draft.ts'
import { trialWords } from '../words.ts'

const words = defineWords(
  {
    name: 'Name',
    audience: 'Recipients',
    share: 'Tested share',
    shareHint: 'In percent, over all variants. The rest gets the winner.',
    decideBy: 'The winner is chosen by',
    after: 'After',
    minutes: (count: number) =>
      count < 60 ? `${count} minutes` : count < 1_440 ? `${count / 60} h` : `${count / 1_440} d`,
    link: 'URL of the tracked link',
    linkHint: 'It replaces #SHORTURL#, or is added at the end. Needed to count clicks.',
    variants: 'Variants',
    options: 'Options',
    variant: (label: string) => `Variant ${label}`,
    text: (label: string) => `Text of ${label}`,
    add: 'Add a variant',
    remove: (label: string) => `Remove ${label}`,
    cost: 'Cost',
    tested: (count: string) => `Test (${count})`,
    rest: (count: string) => `Rest (${count}), at most`,
    all: 'In all, at most',
    balance: 'Balance',
    begin: 'Begin the trial',
    schedule: 'Schedule the trial',
    beginTitle: 'Begin the trial now?',
    scheduleTitle: 'Schedule the trial?',
    keep: 'Cancel',
    fallback: (label: string) => `SMS of ${label} for phones without RCS`,
    shown: 'Variant that is shown'
  },
  {
    name: 'Nom',
    audience: 'Destinataires',
    share: 'Part testée',
    shareHint: 'En pourcentage, toutes variantes confondues. Le reste reçoit la gagnante.',
    decideBy: 'La gagnante est choisie selon',
    after: 'Après',
    minutes: (count: number) =>
      count < 60 ? `${count} minutes` : count < 1_440 ? `${count / 60} h` : `${count / 1_440} j`,
    link: 'URL du lien suivi',
    linkHint: 'Il remplace #SHORTURL#, ou s’ajoute à la fin. Nécessaire pour compter les clics.',
    variants: 'Variantes',
    options: 'Options',
    variant: (label: string) => `Variante ${label}`,
    text: (label: string) => `Texte de ${label}`,
    add: 'Ajouter une variante',
    remove: (label: string) => `Retirer ${label}`,
    cost: 'Coût de l’envoi',
    tested: (count: string) => `Test (${count})`,
    rest: (count: string) => `Reste (${count}), au plus`,
    all: 'En tout, au plus',
    balance: 'Solde',
    begin: 'Lancer le test',
    schedule: 'Programmer le test',
    beginTitle: 'Lancer le test maintenant ?',
    scheduleTitle: 'Programmer le test ?',
    keep: 'Annuler',
    fallback: (label: string) => `SMS de ${label} pour les téléphones sans RCS`,
    shown: 'Variante affichée'
  }
)

const MINUTES = [30, 60, 120, 240, 720, 1_440, 2_880, 10_080]
/** The pause after the last change before the price is asked for. */
const REST_MS = 500

/** A new trial, begun from a message or from nothing. */
export function TrialForm({ start }: { start: TrialDraft }) {
  const say = useWords(words)
  const me = useMe()
  const [form, setForm] = useState(start)
  const [isChanged, setIsChanged] = useState(false)
  useUnsavedWarning(isChanged)
  const client = useQueryClient()
  const navigate = useNavigate()
  const key = useActKey()
  const create = useMutation({
    meta: { isShown: true },
    mutationFn() {
      const input = toInput(form)
      return createTrial(input, key.keyOf(input))
    },
    async onSuccess({ id }) {
      key.renew()
      await client.invalidateQueries({ queryKey: TRIALS })
      await navigate({ to: '/trials/$id', params: { id: String(id) }, ignoreBlocker: true })
    }
  })
  function change(changes: Partial<TrialDraft>): void {
    // The problems were those of other fields.
    if (create.isError) create.reset()
    setIsChanged(true)
    setForm((now) => ({ ...now, ...changes }))
  }
  const isNow = form.common.scheduleAt === null
  const label = isNow ? say.begin : say.schedule
  const ask = () =>
    askFirst({
      title: isNow ? say.beginTitle : say.scheduleTitle,
      children: <CostTable form={form} />,
      labels: { confirm: label, cancel: say.keep },
      onConfirm: () => create.mutate()
    })
  const { common } = form
  const write = (changes: Partial<Draft>) => change({ common: { ...common, ...changes } })
  const fields = create.error instanceof ApiError ? create.error.fields : {}
  return (
    <ComposerGrid
      fields={
        <>
          <Paper withBorder p="md">
            <Stack>
              <TextInput
                label={say.name}
                required
                maxLength={100}
                value={form.name}
                onChange={(event) => change({ name: event.currentTarget.value })}
                error={fields.name}
              />
              <Decision form={form} onChange={change} />
              <Departure
                scheduleAt={common.scheduleAt}
                onChange={(scheduleAt) => write({ scheduleAt })}
                problem={fields.scheduleAt}
                timeZone={me?.time_zone ?? 'UTC'}
              />
            </Stack>
          </Paper>
          <Paper withBorder p="md" component="section" aria-label={say.audience}>
            <Stack>
              <Title order={2} size="h4">
                {say.audience}
              </Title>
              <ListsAndSegments draft={common} onChange={write} />
            </Stack>
          </Paper>
          <ChannelControl channel={common.channel} onChange={(channel) => write({ channel })} />
          <Variants form={form} onChange={change} problems={fields} />
          <Common draft={common} onChange={write} problems={ofVariant(fields, common.channel, 0)} />
        </>
      }
      beside={
        <>
          <Cost form={form} />
          {create.error && <Problem error={create.error} />}
          <Button loading={create.isPending} disabled={form.name.trim() === '' || !isComplete(form)} onClick={ask}>
            {label}
          </Button>
          {me && <Shown form={form} me={me} />}
        </>
      }
    />
  )
}

interface Given {
  form: TrialDraft
  onChange(changes: Partial<TrialDraft>): void
}

function Decision({ form, onChange }: Given) {
  const say = useWords(words)
  const { measures } = useWords(trialWords)
  return (
    <SimpleGrid
      type="container"
      cols={{ base: 1, '480px': form.decideBy === 'hand' ? 2 : 3 }}
      style={{ alignItems: 'end' }}
    >
      <NumberInput
        label={say.share}
        description={say.shareHint}
        min={1}
        max={100}
        allowDecimal={false}
        clampBehavior="strict"
        suffix=" %"
        value={form.share}
        onChange={(share) => onChange({ share: Number(share) || 1 })}
      />
      <Select
        label={say.decideBy}
        allowDeselect={false}
        value={form.decideBy}
        onChange={(decideBy) => onChange({ decideBy: (decideBy ?? 'clicks') as TrialDraft['decideBy'] })}
        data={Object.entries(measures).map(([value, label]) => ({ value, label }))}
      />
      {form.decideBy !== 'hand' && (
        <Select
          label={say.after}
          allowDeselect={false}
          value={String(form.minutes)}
          onChange={(minutes) => onChange({ minutes: Number(minutes) })}
          data={MINUTES.map((minutes) => ({ value: String(minutes), label: say.minutes(minutes) }))}
        />
      )}
    </SimpleGrid>
  )
}

function Variants({ form, onChange, problems }: Given & { problems: Record<string, string> }) {
  const say = useWords(words)
  const { variants } = form
  const setVariant = (index: number, changes: Partial<VariantDraft>) =>
    onChange({ variants: variants.map((each, place) => (place === index ? { ...each, ...changes } : each)) })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.variants}>
      <Stack>
        <Title order={2} size="h4">
          {say.variants}
        </Title>
        {variants.map((variant, index) => (
          <Stack key={LABELS[index]} gap={4} role="group" aria-label={say.variant(LABELS[index] ?? '')}>
            <VariantFields
              label={LABELS[index] ?? ''}
              channel={form.common.channel}
              variant={variant}
              onChange={(changes) => setVariant(index, changes)}
              problems={ofVariant(problems, form.common.channel, index)}
            />
            {variants.length > 2 && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconTrash size={16} aria-hidden />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => onChange({ variants: variants.toSpliced(index, 1) })}
              >
                {say.remove(LABELS[index] ?? '')}
              </Button>
            )}
          </Stack>
        ))}
        {variants.length < LABELS.length && (
          <Button
            variant="default"
            leftSection={<IconPlus size={18} aria-hidden />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => onChange({ variants: [...variants, emptyVariant()] })}
          >
            {say.add}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

function VariantFields({
  label,
  channel,
  variant,
  onChange,
  problems
}: {
  label: string
  channel: Draft['channel']
  variant: VariantDraft
  onChange(changes: Partial<VariantDraft>): void
  problems: Record<string, string>
}) {
  const say = useWords(words)
  if (channel === 'sms') {
    return (
      <SmsText
        label={say.text(label)}
        content={variant.content}
        onContent={(content) => onChange({ content })}
        problem={problems.content}
        minRows={2}
      />
    )
  }
  return (
    <Stack>
      <Title order={3} size="h5">
        {say.variant(label)}
      </Title>
      <RcsFields rcs={variant.rcs} onChange={(rcs) => onChange({ rcs })} problems={problems} />
      <SmsText
        label={say.fallback(label)}
        content={variant.fallback}
        onContent={(fallback) => onChange({ fallback })}
        problem={problems['fallback.content']}
        minRows={2}
      />
    </Stack>
  )
}

/** What all variants have in common. */
function Common({
  draft,
  onChange,
  problems
}: {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  problems: Record<string, string>
}) {
  const say = useWords(words)
  return (
    <Paper withBorder p="md" component="section" aria-label={say.options}>
      <Stack>
        <Title order={2} size="h4">
          {say.options}
        </Title>
        <PurposeField category={draft.category} onChange={(category) => onChange({ category })} />
        <TextInput
          label={say.link}
          description={say.linkHint}
          type="url"
          placeholder="https://"
          value={draft.link.url}
          onChange={(event) => onChange({ link: { mode: 'unique', url: event.currentTarget.value } })}
          error={problems['shorturl.url']}
        />
        {draft.channel === 'rcs' && <AgentSelect agent={draft.agent} onChange={(agent) => onChange({ agent })} />}
        <SenderInput
          sender={draft.sender}
          onSender={(sender) => onChange({ sender })}
          problem={problems.sender ?? problems['fallback.sender']}
        />
      </Stack>
    </Paper>
  )
}

/** The problems of one variant, by the names that its fields have for themselves. */
function ofVariant(problems: Record<string, string>, channel: Draft['channel'], index: number): Record<string, string> {
  const start = `variants[${index}].${channel}.`
  return Object.fromEntries(
    Object.entries(problems).flatMap(([path, problem]) =>
      path.startsWith(start) ? [[path.slice(start.length), problem]] : []
    )
  )
}

/** One of the variants, on the phone of a recipient. */
function Shown({ form, me }: { form: TrialDraft; me: Schemas['Me'] }) {
  const say = useWords(words)
  const [chosen, setChosen] = useState(0)
  const index = Math.min(chosen, form.variants.length - 1)
  const draft = { ...form.common, ...form.variants[index] }
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={say.shown}
        value={String(index)}
        onChange={(value) => setChosen(Number(value))}
        data={form.variants.map((_, place) => ({ value: String(place), label: LABELS[place] ?? '' }))}
      />
      <Preview
        draft={draft}
        people={[]}
        sender={draft.sender || me.settings.sender || 'CHAPPE'}
        stopMention={me.stop_mention}
      />
    </Stack>
  )
}

function Cost({ form }: { form: TrialDraft }) {
  const say = useWords(words)
  const [rested] = useDebouncedValue(form, REST_MS)
  if (rested !== form || !isComplete(form)) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={say.cost}>
      <Title order={2} size="h4">
        {say.cost}
      </Title>
      <CostTable form={form} />
    </Paper>
  )
}

function CostTable({ form }: { form: TrialDraft }) {
  const say = useWords(words)
  const formats = useFormats()
  const { data, error } = useQuery(trialPriceQuery(toInput(form), true))
  if (error) return <Problem error={error} isWarning />
  if (!data) return <RowsLoading rows={4} height={32} />
  const tested = data.variants.reduce(
    (sum, { recipients_count, credits_required }) => ({
      people: sum.people + recipients_count,
      credits: sum.credits + credits_required
    }),
    { people: 0, credits: 0 }
  )
  const rows = [
    { name: say.tested(formats.number(tested.people)), value: tested.credits },
    { name: say.rest(formats.number(data.rest.recipients_count)), value: data.rest.credits_max },
    { name: say.all, value: data.credits_required },
    { name: say.balance, value: data.credits_remaining }
  ]
  return (
    <Table>
      <Table.Tbody>
        {rows.map(({ name, value }) => (
          <Table.Tr key={name}>
            <Table.Th fw={400}>{name}</Table.Th>
            <Table.Td ta="right" className="digits">
              {formats.number(value)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
