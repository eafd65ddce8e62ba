import Type from 'typebox'
import { Refusal } from '../errors.ts'
import type { Standing } from './account.ts'

export const StandingSchema = Type.Enum(['open', 'suspended', 'closed'], {
  description:
    '`open` works as usual. From a `suspended` account nothing leaves and nobody logs in; its scheduled messages wait. `closed` is final: its messages are cancelled and its keys end.'
})

/** Why nobody may ask for an account of this standing. */
export function refusalOf({
  standing,
  standingReason
}: {
  standing: Standing
  standingReason: string
}): Refusal | undefined {
  if (standing === 'open') return undefined
  const reason = standingReason === '' ? '.' : `: ${standingReason.replace(/(?<![.!?…])$/, '.')}`
  return new Refusal(403, 'account_suspended', `The account is ${standing}${reason}`)
}
