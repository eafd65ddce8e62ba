import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { agentsQuery } from '../api/agents.ts'

const words = defineWords(
  { label: 'RCS agent', automatic: 'Chosen by the route' },
  { label: 'Agent RCS', automatic: 'Choisi par la route' }
)

/** The agent that writes, where the account may use several. */
export function AgentSelect({ agent, onChange }: { agent: string; onChange(agent: string): void }) {
  const say = useWords(words)
  const { data } = useQuery(agentsQuery)
  if (!data || data.length < 2) return null
  return (
    <Select
      label={say.label}
      placeholder={say.automatic}
      clearable
      data={data.map(({ id, name }) => ({ value: id, label: name ? `${name} (${id})` : id }))}
      value={data.some(({ id }) => id === agent) ? agent : null}
      onChange={(value) => onChange(value ?? '')}
    />
  )
}
