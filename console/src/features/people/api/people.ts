import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Person = Schemas['Person']
export type Role = Person['role']
export type Invitation = Schemas['Invitation']

export const ROLES: Role[] = ['owner', 'manager', 'sender', 'reader']

export const peopleQuery = queryOptions({ queryKey: ['people', 'list'], queryFn: () => call('listPeople') })
export const invitationsQuery = queryOptions({
  queryKey: ['people', 'invitations'],
  queryFn: () => call('listInvitations')
})

export const nameOrEmail = ({ first_name: first, last_name: last, email }: Person) => `${first} ${last}`.trim() || email
