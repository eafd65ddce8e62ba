import { Refusal } from '../errors.ts'
import type { Caller, ShownToken } from '../http/caller.ts'

export const PERSON_ONLY = { forbidden: 'The request has a key: only a person who is logged in may do this.' }

/** The person who asks, with their session; refuses a key, which is nobody. */
export function refuseKeys({ personId, token }: Caller): { personId: number; token: ShownToken } {
  if (personId === null || token === null) {
    throw new Refusal(403, 'forbidden', 'A key can’t do this: log in with email and password.')
  }
  return { personId, token }
}

/** The same for acts on one's own memberships, which somebody who only looks at the account does not have here. */
export function refuseKeysAndViewers(caller: Caller): { personId: number; token: ShownToken } {
  if (caller.isViewing) {
    throw new Refusal(403, 'forbidden', 'You are only looking at this account, and can’t change it.')
  }
  return refuseKeys(caller)
}
