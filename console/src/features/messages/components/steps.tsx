import { Text, Timeline } from '@mantine/core'
import type { Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { STEP_NAMES } from '../step-names.ts'

/** The timeline of a recipient. */
export function Steps({
  steps,
  timeZone
}: {
  steps: readonly Schemas['TimelineStep'][]
  timeZone: string | undefined
}) {
  const names = useWords(STEP_NAMES)
  const translate = useSentences()
  const formats = useFormats(timeZone)
  return (
    <Timeline bulletSize={16} lineWidth={2} active={steps.length}>
      {steps.map((step, index) => (
        <Timeline.Item key={index} title={names[step.step] ?? step.step}>
          <Text size="sm" c="dimmed">
            {formats.exact(step.at)}
            {step.last_at && ` – ${formats.exact(step.last_at)} · × ${step.times}`}
            {step.carrier && ` · ${step.carrier}`}
          </Text>
          {step.detail && (
            <Text size="sm" className="words">
              {translate(step.detail)}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
