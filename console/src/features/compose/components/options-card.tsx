import { Alert, Input, Paper, Radio, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import 'dayjs/locale/fr'
import { defineWords, useWords } from '../../../lib/language.ts'
import { fromWallTime, toWallTime } from '../../../lib/wall-time.ts'
import { useMomentFormat } from '../../../ui/date-format.ts'
import { LabelFields } from '../../messages/components/labels-dialog.tsx'
import type { Draft } from '../draft.ts'
import { AdvancedFields } from './advanced-fields.tsx'
import { LinkFields } from './link-fields.tsx'

const words = defineWords(
  {
    title: 'Schedule and options',
    options: 'Options',
    purpose: 'Message type',
    transactional: 'Transactional',
    transactionalHint: 'Codes, reminders, confirmations. Sent at any hour.',
    marketing: 'Marketing',
    marketingHint: 'Adds the opt-out text. Sent to France only on the days and hours that are allowed.',
    hours: (end: string, isEveryDay: boolean) =>
      `Sent to France ${isEveryDay ? 'every day' : 'Monday to Saturday, public holidays excepted,'} from 08:00 to ${end} in the recipient’s time zone. Outside of these hours it waits for the next allowed moment.`,
    departure: 'Send time',
    now: 'Now',
    later: 'Later',
    at: 'Date and time',
    zone: (zone: string) => `In the time zone of the account, ${zone}.`,
    deadline: 'Deadline',
    deadlineHint: 'You are warned if the message will not be sent to everybody by then. It is sent all the same.'
  },
  {
    title: 'Programmation et options',
    options: 'Options',
    purpose: 'Type de message',
    transactional: 'Transactionnel',
    transactionalHint: 'Codes, rappels, confirmations. Envoi à toute heure.',
    marketing: 'Marketing',
    marketingHint: 'Mention STOP ajoutée. Envoi vers la France aux jours et heures autorisés seulement.',
    hours: (end: string, isEveryDay: boolean) =>
      `Envoi vers la France ${isEveryDay ? 'tous les jours' : 'du lundi au samedi, hors jours fériés,'} de 08:00 à ${end}, à l’heure du destinataire. En dehors, l’envoi attend le prochain moment autorisé.`,
    departure: 'Date d’envoi',
    now: 'Maintenant',
    later: 'Plus tard',
    at: 'Date et heure',
    zone: (zone: string) => `Dans le fuseau horaire du compte, ${zone}.`,
    deadline: 'Échéance',
    deadlineHint: 'Un avertissement s’affiche si l’envoi ne sera pas terminé d’ici là. Il est envoyé quand même.'
  }
)

interface Given {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  problems: Record<string, string>
  hoursEnd: string
  /** Whether Sundays and public holidays are allowed. */
  isEveryDay: boolean
  timeZone: string
  /** Whether somebody chooses when it leaves: not of a message that a schedule repeats. */
  hasTime?: boolean
}

export function OptionsCard({ draft, onChange, problems, hoursEnd, isEveryDay, timeZone, hasTime = true }: Given) {
  const say = useWords(words)
  const title = hasTime ? say.title : say.options
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        <PurposeField category={draft.category} onChange={(category) => onChange({ category })} />
        {draft.category === 'marketing' && (
          <Alert variant="light" p="xs">
            <Text size="sm">{say.hours(hoursEnd, isEveryDay)}</Text>
          </Alert>
        )}
        {hasTime && (
          <Departure
            scheduleAt={draft.scheduleAt}
            onChange={(scheduleAt) => onChange({ scheduleAt })}
            problem={problems.scheduleAt}
            timeZone={timeZone}
          />
        )}
        {hasTime && <Deadline draft={draft} onChange={onChange} problem={problems.deadline} timeZone={timeZone} />}
        <LinkFields link={draft.link} onChange={(link) => onChange({ link })} problem={problems['shorturl.url']} />
        <LabelFields labels={draft} onChange={({ name, tags }) => onChange({ name, tags })} isRepeated={!hasTime} />
        <AdvancedFields draft={draft} onChange={onChange} problems={problems} />
      </Stack>
    </Paper>
  )
}

/** Whether it is transactional or marketing. */
export function PurposeField({
  category,
  onChange
}: {
  category: Draft['category']
  onChange(category: Draft['category']): void
}) {
  const say = useWords(words)
  return (
    <Radio.Group label={say.purpose} value={category} onChange={(value) => onChange(value as Draft['category'])}>
      <Stack gap="xs" mt={4}>
        <Radio value="transactional" label={say.transactional} description={say.transactionalHint} />
        <Radio value="marketing" label={say.marketing} description={say.marketingHint} />
      </Stack>
    </Radio.Group>
  )
}

type TimeGiven = Pick<Given, 'draft' | 'onChange' | 'timeZone'> & { problem: string | undefined }

function Deadline({ draft, onChange, problem, timeZone }: TimeGiven) {
  const say = useWords(words)
  const momentFormat = useMomentFormat()
  return (
    <DateTimePicker
      label={say.deadline}
      description={`${say.deadlineHint} ${say.zone(timeZone)}`}
      clearable
      {...momentFormat}
      minDate={toWallTime(draft.scheduleAt ?? new Date().toISOString(), timeZone)}
      value={draft.deadline === null ? null : toWallTime(draft.deadline, timeZone)}
      onChange={(value) => onChange({ deadline: value ? fromWallTime(value, timeZone) : null })}
      error={problem}
    />
  )
}

/** When it leaves: now, or at a time. */
export function Departure({
  scheduleAt,
  onChange,
  problem,
  timeZone
}: {
  /** ISO 8601; null is now. */
  scheduleAt: string | null
  onChange(scheduleAt: string | null): void
  problem: string | undefined
  timeZone: string
}) {
  const say = useWords(words)
  const momentFormat = useMomentFormat()
  const inAnHour = () => new Date(Math.ceil((Date.now() + 3_600_000) / 900_000) * 900_000).toISOString()
  return (
    <Stack gap={4}>
      <Input.Label labelElement="div" id="departure">
        {say.departure}
      </Input.Label>
      <SegmentedControl
        aria-labelledby="departure"
        value={scheduleAt === null ? 'now' : 'later'}
        onChange={(value) => onChange(value === 'now' ? null : inAnHour())}
        data={[
          { value: 'now', label: say.now },
          { value: 'later', label: say.later }
        ]}
      />
      {scheduleAt !== null && (
        <DateTimePicker
          mt="xs"
          label={say.at}
          description={say.zone(timeZone)}
          {...momentFormat}
          minDate={toWallTime(new Date().toISOString(), timeZone)}
          value={toWallTime(scheduleAt, timeZone)}
          onChange={(value) => value && onChange(fromWallTime(value, timeZone))}
          error={problem}
        />
      )}
    </Stack>
  )
}
