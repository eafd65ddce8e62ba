import { Checkbox, Select, Stack } from '@mantine/core'
import { describeSeconds } from '../../../lib/describe-seconds.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { Unfolding } from '../../../ui/unfolding.tsx'
import type { Draft } from '../draft.ts'

const words = defineWords(
  {
    advanced: 'Advanced options',
    validity: 'Valid for',
    validityHint: 'A message that could not leave in this time expires, and is refunded. Counted from the send time.',
    usual: (category: Draft['category']): string => (category === 'marketing' ? '3 days (default)' : '1 day (default)'),
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
    validityHint: 'Un message qui n’a pas pu partir dans ce délai expire et est remboursé. Compté dès la date d’envoi.',
    usual: (category: Draft['category']): string =>
      category === 'marketing' ? '3 jours (par défaut)' : '1 jour (par défaut)',
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
    <Unfolding label={say.advanced} isOpen={draft.validity !== null || draft.priority !== 'normal' || draft.flash}>
      <Stack gap="sm" pt="xs">
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
