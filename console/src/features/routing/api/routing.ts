import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Route = Schemas['Route']
export type Explanation = Schemas['RouteExplanation']

export interface Asked {
  to: string
  channel: 'sms' | 'rcs'
  category: 'transactional' | 'marketing'
  account: number | undefined
  sender: string
}

export const routesQuery = queryOptions({ queryKey: ['routes'], queryFn: () => call('listRoutes') })

export const explainRoute = ({ to, channel, category, account, sender }: Asked) =>
  call('explainRoute', {
    query: { to, channel, category, ...(account !== undefined && { account }), ...(sender !== '' && { sender }) }
  })
