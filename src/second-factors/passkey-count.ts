import { Refusal } from '../errors.ts'

/** More than anybody has; each is offered to the browser at every log-in. */
export const PASSKEYS_MAX = 20

export function tooManyPasskeys(): Refusal {
  return new Refusal(409, 'state_conflict', `You have ${PASSKEYS_MAX} passkeys already: remove one first.`)
}
