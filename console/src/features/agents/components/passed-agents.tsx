import { Avatar, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { Card } from '../../../ui/card.tsx'
import { useMay } from '../../account/api/may.ts'
import { agentGrantsQuery, type GrantedAgent, grantAgent, revokeAgent } from '../api/agents.ts'

const words = defineWords(
  {
    title: 'RCS agents',
    about: 'Agents that you were granted, and may pass on to this sub-account.',
    byOperator: 'Granted by the operator',
    revokeTitle: (name: string) => `Withdraw ${name}?`,
    revokeText: 'Waiting messages of this sub-account fall back to SMS.',
    revoke: 'Withdraw',
    cancel: 'Cancel'
  },
  {
    title: 'Agents RCS',
    about: 'Les agents qui vous sont attribués, et que vous pouvez transmettre à ce sous-compte.',
    byOperator: 'Attribué par l’exploitant',
    revokeTitle: (name: string) => `Retirer ${name} ?`,
    revokeText: 'Les messages en attente de ce sous-compte partent par SMS.',
    revoke: 'Retirer',
    cancel: 'Annuler'
  }
)

/** The agents of a parent, and which of them a sub-account may use. Nothing is shown to a parent without agents. */
export function PassedAgents({ id, isClosed }: { id: number; isClosed: boolean }) {
  const say = useWords(words)
  const { data = [] } = useQuery(agentGrantsQuery)
  if (data.length === 0) return null
  return (
    <Card title={say.title} about={say.about}>
      {data.map((agent) => (
        <PassedAgent key={agent.id} agent={agent} id={id} isClosed={isClosed} />
      ))}
    </Card>
  )
}

function PassedAgent({ agent, id, isClosed }: { agent: GrantedAgent; id: number; isClosed: boolean }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const mayChange = useMay('account')
  const name = agent.name ?? agent.id
  const grant = agent.grants.find(({ account_id: accountId }) => accountId === id)
  const isByOperator = grant !== undefined && grant.passed_by === null
  const change = useMutation({
    mutationFn: (isPassed: boolean) => (isPassed ? grantAgent : revokeAgent)({ agent: agent.id, id }),
    onSettled: () => queries.invalidateQueries({ queryKey: agentGrantsQuery.queryKey })
  })
  function act(isPassed: boolean): void {
    if (isPassed) {
      change.mutate(true)
      return
    }
    askFirst({
      title: say.revokeTitle(name),
      children: say.revokeText,
      labels: { confirm: say.revoke, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => change.mutate(false)
    })
  }
  return (
    <Switch
      label={
        <span style={{ display: 'flex', gap: 8, alignItems: 'center' }}>
          <Avatar src={agent.logo_url} alt="" radius="xl" size="sm" name={name} color="initials" />
          {name}
        </span>
      }
      description={isByOperator ? say.byOperator : agent.name ? agent.id : undefined}
      checked={change.isPending ? change.variables : grant !== undefined}
      disabled={!mayChange || isClosed || isByOperator}
      onChange={(event) => act(event.currentTarget.checked)}
    />
  )
}
