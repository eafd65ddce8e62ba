import { Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { useMe } from '../../account/api/me.ts'
import { type LimitsWithUse, limitsQuery } from '../api/limits.ts'
import { COUNTED, limitWords } from '../words.ts'

/** The limits of the account that is logged in, and how far they are used. */
export function LimitsCard() {
  const say = useWords(limitWords)
  const me = useMe()
  const { data } = useQuery(limitsQuery({ kind: 'me' }))
  if (!data) return null
  return (
    <Card title={say.title}>
      <Rates data={data} />
      {COUNTED.filter((name) => name !== 'sub_accounts' || me?.role !== 'sub-account').map((name) => (
        <Used key={name} label={say[name]} used={data.used[name]} max={data.limits[name]} />
      ))}
    </Card>
  )
}

function Rates({ data: { limits, used } }: { data: LimitsWithUse }) {
  const say = useWords(limitWords)
  const { number } = useFormats()
  const told = (max: number | null) => (max === null ? say.none : number(max))
  const rows: [string, string][] = [
    [say.requests_per_second, told(limits.requests_per_second)],
    [say.messages_per_number, told(limits.messages_per_number)],
    [say.countries, limits.countries?.join(', ') ?? say.none]
  ]
  return (
    <>
      <Facts rows={rows} nameWidth={240} />
      <Used label={say.credits_per_day} used={used.credits_today} max={limits.credits_per_day} />
    </>
  )
}

function Used({ label, used, max }: { label: string; used: number; max: number | null }) {
  const say = useWords(limitWords)
  const { number } = useFormats()
  const share = max ? Math.min(100, (used / max) * 100) : 0
  return (
    <div>
      <Text size="sm">{say.line(label, max === null ? say.none : say.of(number(used), number(max)))}</Text>
      {max !== null && (
        <Progress value={share} color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : undefined} aria-label={label} />
      )}
    </div>
  )
}
