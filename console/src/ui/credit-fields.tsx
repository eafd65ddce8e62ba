import { Group, NumberInput, SegmentedControl, Skeleton, Text } from '@mantine/core'
import type { Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'

const words = defineWords(
  { type: 'Type of credits', amount: 'Number of credits' },
  { type: 'Type de crédits', amount: 'Nombre de crédits' }
)

const CREDITS_MAX = 1_000_000_000

/** Whether a typed number of credits can be moved. */
export function isAmount(credits: number | string): boolean {
  return Number(credits) >= 1 && Number(credits) <= CREDITS_MAX
}

/** SMS or RCS. */
export function CreditTypeField({ value, onChange }: { value: 1 | 2; onChange(type: 1 | 2): void }) {
  const say = useWords(words)
  return (
    <SegmentedControl
      aria-label={say.type}
      value={String(value)}
      onChange={(type) => onChange(type === '1' ? 1 : 2)}
      data={[
        { value: '1', label: 'SMS' },
        { value: '2', label: 'RCS' }
      ]}
    />
  )
}

export function AmountField({
  value,
  description,
  onChange
}: {
  value: number | string
  description?: string | undefined
  onChange(credits: number | string): void
}) {
  const say = useWords(words)
  return (
    <NumberInput
      label={say.amount}
      description={description}
      min={1}
      max={CREDITS_MAX}
      // A number out of bounds stays as it was typed: clamping it would move other credits than the person typed.
      clampBehavior="none"
      allowDecimal={false}
      required
      value={value}
      onChange={onChange}
    />
  )
}

/** What is left of each type. */
export function CreditBalances({ credits }: { credits: Schemas['CreditsRo'][] | undefined }) {
  const formats = useFormats()
  return (
    <Group gap="xl">
      {(credits ?? [undefined, undefined]).map((each, index) => (
        <div key={each?.msgType ?? index}>
          <Text size="sm" c="dimmed">
            {each?.label ?? <Skeleton h={20} w={40} />}
          </Text>
          <Text size="xl" fw={700} className="digits">
            {each ? formats.number(each.credits) : <Skeleton h={31} w={90} />}
          </Text>
        </div>
      ))}
    </Group>
  )
}
