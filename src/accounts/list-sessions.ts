import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { listSessions } from './members.store.ts'
import { PERSON_ONLY, refuseKeys } from './person-only.ts'

/** A program may log in, or switch, hundreds of times a second: all of its sessions would fill the memory of the process. */
const SHOWN_MAX = 1_000

const SessionView = Type.Object(
  {
    id: Type.String(),
    account_id: Type.Integer(),
    social_reason: Type.String({ description: 'Company name of the account.' }),
    is_current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    is_viewing: Type.Boolean({ description: 'Whether it only looks at an account below.' }),
    address: Type.String({ description: 'Where it was begun from.' }),
    agent: Type.String({ description: 'The browser or program, as it names itself.' }),
    created_at: Type.String({ format: 'date-time' }),
    last_seen_at: Type.String({ format: 'date-time', description: 'Give or take a minute.' }),
    expires_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Session' }
)

export const listMySessions = operation({
  route: 'GET /users/me/sessions',
  id: 'listMySessions',
  tag: 'Beyond',
  permission: 'any',
  summary: 'My sessions',
  description: `The log-ins of the person who asks that are not over, on all accounts, the newest first: at most the ${SHOWN_MAX} newest.`,
  answer: Type.Array(SessionView),
  example: {
    answer: [
      {
        id: '0f8b1c9e-5d5f-4a57-9a35-7a2f0c3a1b10',
        account_id: 12,
        social_reason: 'Boutique Martin',
        is_current: true,
        is_viewing: false,
        address: '192.0.2.7',
        agent: 'Mozilla/5.0',
        created_at: '2026-11-16T08:00:00.000Z',
        last_seen_at: '2026-11-16T08:02:00.000Z',
        expires_at: '2026-11-16T09:00:00.000Z'
      }
    ]
  },
  refusals: PERSON_ONLY,
  async handle({ caller, database }) {
    const { personId, token } = refuseKeys(caller)
    const sessions = await listSessions(database, { personId, limit: SHOWN_MAX })
    return sessions.map((session) => ({
      id: session.id,
      account_id: session.accountId,
      social_reason: session.socialReason,
      is_current: session.id === token.id,
      is_viewing: session.isViewing,
      address: session.address,
      agent: session.agent,
      created_at: session.createdAt.toISOString(),
      last_seen_at: session.lastSeenAt.toISOString(),
      expires_at: session.expiresAt.toISOString()
    }))
  }
})
