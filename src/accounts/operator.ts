import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'

/** For the operations that concern the whole installation. */
export function refuseUnlessOperator(caller: Caller): void {
  if (!caller.isOperator) throw new Refusal(403, 'forbidden', 'Only the operator, the first account, may do this.')
}

export const OPERATOR_ONLY = { forbidden: 'Only the operator, the first account, may do this.' }
