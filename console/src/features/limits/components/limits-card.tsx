import { Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { useMe } from '../../account/api/me.ts'
import { limitsQuery } from '../api/limits.ts'
import { COUNTED, limitWords } from '../words.ts'

/** The limits of the account that is logged in, and how far they are used. */
export function LimitsCard() {
  const say = useWords(limitWords)
  const { number } = useFormats()
  const me = useMe()
  const { data } = useQuery(limitsQuery({ kind: 'me' }))
  if (!data) return null
  const { limits, used } = data
  const told = (max: number | null) => (max === null ? say.none : number(max))
  const counted = COUNTED.filter((name) => name !== 'sub_accounts' || me?.role !== 'sub-account')
  const rows: [string, ReactNode][] = [
    [say.requests_per_second, told(limits.requests_per_second)],
    [say.messages_per_number, told(limits.messages_per_number)],
    [say.countries, limits.countries?.join(', ') ?? say.none],
    [
      say.credits_per_day,
      <Used key="credits" label={say.credits_per_day} used={used.credits_today} max={limits.credits_per_day} />
    ],
    ...counted.map((name): [string, ReactNode] => [
      say[name],
      <Used key={name} label={say[name]} used={used[name]} max={limits[name]} />
    ])
  ]
  return (
    <Card title={say.title}>
      <Facts rows={rows} nameWidth={240} />
    </Card>
  )
}

function Used({ label, used, max }: { label: string; used: number; max: number | null }) {
  const say = useWords(limitWords)
  const { number } = useFormats()
  if (max === null) return say.none
  const share = max === 0 ? 0 : Math.min(100, (used / max) * 100)
  return (
    <>
      {say.of(number(used), number(max))}
      <Progress value={share} color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : undefined} aria-label={label} />
    </>
  )
}
