import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Agent = Schemas['Agent']
export type GrantedAgent = Schemas['GrantedAgent']

/** The agents that the account may use. */
export const agentsQuery = queryOptions({ queryKey: ['agents'], queryFn: () => call('listAgents') })

export const agentGrantsQuery = queryOptions({ queryKey: ['agent grants'], queryFn: () => call('listAgentGrants') })

export const changeAccess = ({ agent, access }: { agent: string; access: Agent['access'] }) =>
  call('changeAgent', { path: { agent }, body: { access } })

export const grantAgent = ({ agent, id }: { agent: string; id: number }) => call('grantAgent', { path: { agent, id } })

export const revokeAgent = ({ agent, id }: { agent: string; id: number }) =>
  call('revokeAgent', { path: { agent, id } })
