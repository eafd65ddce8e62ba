import {
  Button,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ListsAndSegments } from '../../compose/components/audience-card.tsx'
import { SenderInput, SmsText } from '../../compose/components/sms-fields.tsx'
import { createTrial, TRIALS, type TrialInput, trialPriceQuery } from '../api/trials.ts'
import { trialWords } from '../words.ts'

const words = defineWords(
  {
    name: 'Name',
    audience: 'To whom',
    share: 'Share that is tested',
    shareHint: 'In percent, over all variants. The rest gets the winner.',
    decideBy: 'The winner is chosen by',
    after: 'After',
    minutes: (count: number) =>
      count < 60 ? `${count} minutes` : count < 1_440 ? `${count / 60} h` : `${count / 1_440} d`,
    purpose: 'Message type',
    marketing: 'Marketing',
    transactional: 'Transactional',
    link: 'Address of the tracked link',
    linkHint: 'It takes the place of #SHORTURL#, or stands at the end. Needed to count clicks.',
    variants: 'Variants',
    variant: (label: string) => `Text of ${label}`,
    add: 'Add a variant',
    remove: (label: string) => `Remove ${label}`,
    cost: 'Cost',
    tested: (count: string) => `Test (${count})`,
    rest: (count: string) => `Rest (${count}), at most`,
    all: 'In all, at most',
    balance: 'Balance',
    begin: 'Begin the trial'
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
    purpose: 'Type de message',
    marketing: 'Marketing',
    transactional: 'Transactionnel',
    link: 'Adresse du lien suivi',
    linkHint: 'Il prend la place de #SHORTURL#, ou se met à la fin. Nécessaire pour compter les clics.',
    variants: 'Variantes',
    variant: (label: string) => `Texte de ${label}`,
    add: 'Ajouter une variante',
    remove: (label: string) => `Retirer ${label}`,
    cost: 'Coût de l’envoi',
    tested: (count: string) => `Test (${count})`,
    rest: (count: string) => `Reste (${count}), au plus`,
    all: 'En tout, au plus',
    balance: 'Solde',
    begin: 'Lancer l’essai'
  }
)

const LABELS = ['A', 'B', 'C', 'D']
const MINUTES = [30, 60, 120, 240, 720, 1_440, 2_880, 10_080]
/** The pause after the last change before the price is asked for. */
const REST_MS = 500

interface Form {
  name: string
  lists: string[]
  segments: string[]
  share: number
  decideBy: TrialInput['decide_by']
  minutes: number
  category: 'marketing' | 'transactional'
  sender: string
  url: string
  texts: string[]
}

const EMPTY: Form = {
  name: '',
  lists: [],
  segments: [],
  share: 20,
  decideBy: 'clicks',
  minutes: 120,
  category: 'marketing',
  sender: '',
  url: '',
  texts: ['', '']
}

function toInput({ name, lists, segments, share, decideBy, minutes, category, sender, url, texts }: Form): TrialInput {
  const common = {
    category,
    ...(sender && { sender }),
    ...(url.trim() && { shorturl: { mode: 'unique' as const, url: url.trim() } })
  }
  return {
    name: name.trim() || '–',
    ...(lists.length > 0 && { contactlist: lists.map(Number) }),
    ...(segments.length > 0 && { segments: segments.map(Number) }),
    share,
    decide_by: decideBy,
    ...(decideBy !== 'hand' && { decide_after_minutes: minutes }),
    variants: texts.map((content) => ({ sms: { content, ...common } }))
  }
}

function isComplete({ lists, segments, decideBy, url, texts }: Form): boolean {
  return (
    lists.length + segments.length > 0 &&
    texts.every((text) => text.trim() !== '') &&
    (decideBy !== 'clicks' || url.trim() !== '')
  )
}

export function TrialForm() {
  const say = useWords(words)
  const [form, setForm] = useState(EMPTY)
  const change = (changes: Partial<Form>) => setForm((before) => ({ ...before, ...changes }))
  const client = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    meta: { isShown: true },
    mutationFn: () => createTrial(toInput(form)),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: TRIALS })
      await navigate({ to: '/trials/$id', params: { id: String(id) } })
    }
  })
  const fields = create.error instanceof ApiError ? create.error.fields : {}
  return (
    <Stack>
      <Paper withBorder p="md">
        <Stack>
          <TextInput
            label={say.name}
            required
            maxLength={100}
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Decision form={form} onChange={change} />
        </Stack>
      </Paper>
      <Paper withBorder p="md" component="section" aria-label={say.audience}>
        <Stack>
          <Title order={2} size="h4">
            {say.audience}
          </Title>
          <ListsAndSegments draft={form} onChange={change} />
        </Stack>
      </Paper>
      <Texts form={form} onChange={change} problems={fields} />
      <Cost form={form} />
      {create.error && <Problem error={create.error} />}
      <Group>
        <Button
          loading={create.isPending}
          disabled={form.name.trim() === '' || !isComplete(form)}
          onClick={() => create.mutate()}
        >
          {say.begin}
        </Button>
      </Group>
    </Stack>
  )
}

interface Given {
  form: Form
  onChange(changes: Partial<Form>): void
}

function Decision({ form, onChange }: Given) {
  const say = useWords(words)
  const { measures } = useWords(trialWords)
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
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
        onChange={(decideBy) => onChange({ decideBy: (decideBy ?? 'clicks') as Form['decideBy'] })}
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
    </Group>
  )
}

function Texts({ form, onChange, problems }: Given & { problems: Record<string, string> }) {
  const say = useWords(words)
  const id = useId()
  const { texts } = form
  const setText = (index: number, text: string) => onChange({ texts: texts.with(index, text) })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.variants}>
      <Stack>
        <Title order={2} size="h4">
          {say.variants}
        </Title>
        {texts.map((content, index) => (
          <Stack key={LABELS[index]} gap={4}>
            <SmsText
              label={say.variant(LABELS[index] ?? '')}
              content={content}
              onContent={(text) => setText(index, text)}
              problem={problems[`variants[${index}].sms.content`]}
              minRows={2}
            />
            {texts.length > 2 && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconTrash size={16} aria-hidden />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => onChange({ texts: texts.toSpliced(index, 1) })}
              >
                {say.remove(LABELS[index] ?? '')}
              </Button>
            )}
          </Stack>
        ))}
        {texts.length < LABELS.length && (
          <Button
            variant="default"
            leftSection={<IconPlus size={18} aria-hidden />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => onChange({ texts: [...texts, ''] })}
          >
            {say.add}
          </Button>
        )}
        <Stack gap={4}>
          <Text size="sm" fw={500} id={id}>
            {say.purpose}
          </Text>
          <SegmentedControl
            aria-labelledby={id}
            value={form.category}
            onChange={(category) => onChange({ category: category as Form['category'] })}
            data={[
              { value: 'marketing', label: say.marketing },
              { value: 'transactional', label: say.transactional }
            ]}
          />
        </Stack>
        <TextInput
          label={say.link}
          description={say.linkHint}
          type="url"
          placeholder="https://"
          value={form.url}
          onChange={(event) => onChange({ url: event.currentTarget.value })}
          error={problems['variants[0].sms.shorturl.url']}
        />
        <SenderInput
          sender={form.sender}
          onSender={(sender) => onChange({ sender })}
          problem={problems['variants[0].sms.sender']}
        />
      </Stack>
    </Paper>
  )
}

function Cost({ form }: { form: Form }) {
  const say = useWords(words)
  const formats = useFormats()
  const [rested] = useDebouncedValue(form, REST_MS)
  const isRested = rested === form && isComplete(form)
  const { data, error } = useQuery(trialPriceQuery(toInput(rested), isRested))
  if (!isRested) return null
  if (error) return <Problem error={error} isWarning />
  if (!data) return null
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
    <Paper withBorder p="md" component="section" aria-label={say.cost}>
      <Title order={2} size="h4">
        {say.cost}
      </Title>
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
    </Paper>
  )
}
