import { Checkbox, NumberInput, Select, Stack } from '@mantine/core'
import { describeSeconds } from '../../../lib/describe-seconds.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { Unfolding } from '../../../ui/unfolding.tsx'
import type { Draft } from '../draft.ts'

const words = defineWords(
  {
    advanced: 'Advanced options',
    validity: 'Valid for',
    validityHint:
      'A message that can’t be sent in this time expires and is refunded. The time begins at the send time.',
    usual: (category: Draft['category']): string => (category === 'marketing' ? '3 days (default)' : '1 day (default)'),
    pace: 'Pace',
    paceHint: 'The message is sent at a steady pace, over at most 7 days.',
    paces: {
      fast: 'As fast as possible (default)',
      per_hour: 'A number of recipients per hour',
      minutes: 'Over a period'
    },
    counts: { per_hour: 'Recipients per hour', minutes: 'Minutes' },
    priority: 'Priority',
    priorityHint:
      'Among the waiting messages of this account: before those of the last hour, or after those of the next.',
    priorities: { low: 'Low', normal: 'Normal (default)', high: 'High' },
    flash: 'Flash message',
    flashHint: 'The phone shows the text at once and does not keep it. Some phones show it like any SMS.'
  },
  {
    advanced: 'Options avancées',
    validity: 'Validité',
    validityHint:
      'Un message qui n’a pas pu être envoyé dans ce délai expire et est remboursé. Le délai commence à la date d’envoi.',
    usual: (category: Draft['category']): string =>
      category === 'marketing' ? '3 jours (par défaut)' : '1 jour (par défaut)',
    pace: 'Rythme',
    paceHint: 'Le message est envoyé à un rythme régulier, en 7 jours au plus.',
    paces: {
      fast: 'Au plus vite (par défaut)',
      per_hour: 'Un nombre de destinataires par heure',
      minutes: 'Sur une durée'
    },
    counts: { per_hour: 'Destinataires par heure', minutes: 'Minutes' },
    priority: 'Priorité',
    priorityHint:
      'Parmi les messages en attente du compte : avant ceux de l’heure passée, ou après ceux de la prochaine.',
    priorities: { low: 'Basse', normal: 'Normale (par défaut)', high: 'Haute' },
    flash: 'Message flash',
    flashHint: 'Le téléphone affiche le texte aussitôt et ne le garde pas. Certains l’affichent comme tout SMS.'
  }
)

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const VALIDITIES = [5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY]

const PRIORITIES: Draft['priority'][] = ['low', 'normal', 'high']

/** Options that few messages need. They open by themselves where one is set. */
export function AdvancedFields({
  draft,
  onChange,
  problems
}: {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  problems: Record<string, string>
}) {
  const say = useWords(words)
  const language = useLanguage()
  return (
    <Unfolding
      label={say.advanced}
      isOpen={draft.validity !== null || draft.spread !== null || draft.priority !== 'normal' || draft.flash}
    >
      <Stack gap="sm" pt="xs">
        <PaceFields spread={draft.spread} onChange={(spread) => onChange({ spread })} problems={problems} />
        <Select
          label={say.validity}
          description={say.validityHint}
          allowDeselect={false}
          data={[
            { value: '', label: say.usual(draft.category) },
            ...VALIDITIES.map((seconds) => ({ value: String(seconds), label: describeSeconds(seconds, language) }))
          ]}
          value={draft.validity === null ? '' : String(draft.validity)}
          onChange={(value) => onChange({ validity: value ? Number(value) : null })}
          error={problems.validity}
        />
        {draft.category === 'transactional' && (
          <Select
            label={say.priority}
            description={say.priorityHint}
            allowDeselect={false}
            data={PRIORITIES.map((value) => ({ value, label: say.priorities[value] }))}
            value={draft.priority}
            onChange={(value) => onChange({ priority: PRIORITIES.find((each) => each === value) ?? 'normal' })}
            error={problems.priority}
          />
        )}
        {draft.channel === 'sms' && (
          <Checkbox
            label={say.flash}
            description={say.flashHint}
            checked={draft.flash}
            onChange={(event) => onChange({ flash: event.currentTarget.checked })}
            error={problems.flash}
          />
        )}
      </Stack>
    </Unfolding>
  )
}

type Spread = NonNullable<Draft['spread']>
const FAST = 'fast'
const PACES: Record<'per_hour' | 'minutes', { first: Spread; max: number; to(count: number): Spread }> = {
  per_hour: { first: { per_hour: 1_000 }, max: 10_000_000, to: (per_hour) => ({ per_hour }) },
  minutes: { first: { minutes: 60 }, max: 7 * 24 * 60, to: (minutes) => ({ minutes }) }
}

function PaceFields({
  spread,
  onChange,
  problems
}: {
  spread: Draft['spread']
  onChange(spread: Draft['spread']): void
  problems: Record<string, string>
}) {
  const say = useWords(words)
  const unit = spread === null ? undefined : 'minutes' in spread ? 'minutes' : 'per_hour'
  return (
    <>
      <Select
        label={say.pace}
        description={say.paceHint}
        allowDeselect={false}
        data={([FAST, 'per_hour', 'minutes'] as const).map((value) => ({ value, label: say.paces[value] }))}
        value={unit ?? FAST}
        onChange={(value) => onChange(value === 'per_hour' || value === 'minutes' ? PACES[value].first : null)}
      />
      {spread && unit && (
        <NumberInput
          label={say.counts[unit]}
          min={1}
          max={PACES[unit].max}
          allowDecimal={false}
          value={'minutes' in spread ? spread.minutes : spread.per_hour}
          onChange={(value) => onChange(PACES[unit].to(Number(value) || 1))}
          error={problems.spread ?? problems[`spread.${unit}`]}
        />
      )}
    </>
  )
}
