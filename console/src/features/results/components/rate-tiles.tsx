import { Paper, SimpleGrid, Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import type { MessageResult } from '../api/results.ts'
import { RATE_NAMES, RATES, type RateName, resultWords } from '../words.ts'

type Rated = Pick<MessageResult, RateName | (typeof RATES)[RateName]>

/** The four rates, each with its count. */
export function RateTiles({ results }: { results: Rated }) {
  const say = useWords(resultWords)
  const formats = useFormats()
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }}>
      {RATE_NAMES.map((name) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm" c="dimmed">
            {say[name]}
          </Text>
          <Text fz="clamp(1.125rem, 5.6vw, 1.625rem)" lh="2.5rem" fw={700} className="digits">
            {formats.rate(results[name])}
          </Text>
          <Text size="sm" c="dimmed">
            {say.fact(say[RATES[name]], formats.number(results[RATES[name]]))}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
