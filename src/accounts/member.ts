import Type, { type Static } from 'typebox'
import { type Role, RoleSchema } from '../people/role.ts'
import { Nullable } from '../schemas/nullable.ts'

/** A person of an account. */
export interface Member {
  id: number
  email: string
  firstName: string
  lastName: string
  role: Role
  isHolder: boolean
  hasSecondFactor: boolean
  joinedAt: Date
  /** On this account; null for a person who has never logged in to it. */
  lastSeenAt: Date | null
}

export const MemberView = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role: RoleSchema,
    is_holder: Type.Boolean({ description: 'Whether the account shows the name and email of this person.' }),
    second_factor: Type.Boolean({ description: 'Whether log-ins of this person ask for a second factor.' }),
    is_you: Type.Boolean({ description: 'Whether this person asks.' }),
    joined_at: Type.String({ format: 'date-time' }),
    last_seen_at: Nullable(Type.String({ format: 'date-time', description: 'On this account, give or take a minute.' }))
  },
  { $id: 'Person' }
)

export function toMemberView(member: Member, personId: number | null): Static<typeof MemberView> {
  return {
    id: member.id,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
    is_holder: member.isHolder,
    second_factor: member.hasSecondFactor,
    is_you: member.id === personId,
    joined_at: member.joinedAt.toISOString(),
    last_seen_at: member.lastSeenAt?.toISOString() ?? null
  }
}

export const memberExample = {
  id: 31,
  email: 'hugo@boutique.example',
  first_name: 'Hugo',
  last_name: 'Bernard',
  role: 'sender' as const,
  is_holder: false,
  second_factor: true,
  is_you: false,
  joined_at: '2026-11-15T09:30:00.000Z',
  last_seen_at: '2026-11-16T08:02:00.000Z'
}
