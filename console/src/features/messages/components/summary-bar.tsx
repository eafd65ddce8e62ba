import { Box, ColorSwatch, Group, Progress, Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import type { Message } from '../api/messages.ts'
import { SUMMARY_COLORS, stateWords } from '../words.ts'

const PARTS = ['read', 'delivered', 'sent', 'waiting', 'failed', 'stopped', 'cancelled'] as const

/** The states of the recipients of a message, as a bar of shares. */
export function SummaryBar({
  message,
  hasLegend = false,
  size = 'lg'
}: {
  message: Message
  hasLegend?: boolean
  size?: string
}) {
  const say = useWords(stateWords)
  const formats = useFormats()
  const present = PARTS.filter((part) => message.summary[part] > 0)
  const text = present.map((part) => `${say.summary[part]} ${formats.number(message.summary[part])}`).join(', ')
  return (
    <Box>
      <Progress.Root size={size} role="img" aria-label={text}>
        {present.map((part) => (
          <Progress.Section
            key={part}
            value={(message.summary[part] / message.recipients_count) * 100}
            color={SUMMARY_COLORS[part]}
            withAria={false}
          />
        ))}
      </Progress.Root>
      {hasLegend && (
        <Group gap="md" mt="sm">
          {present.map((part) => (
            <Group key={part} gap={6}>
              <ColorSwatch
                size={12}
                color={`var(--mantine-color-${SUMMARY_COLORS[part].replace('.', '-')})`}
                withShadow={false}
              />
              <Text size="sm">
                {say.summary[part]}{' '}
                <Text span fw={600} className="digits">
                  {formats.number(message.summary[part])}
                </Text>
              </Text>
            </Group>
          ))}
        </Group>
      )}
    </Box>
  )
}
