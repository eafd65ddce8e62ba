import Type from 'typebox'
import { invalidInput } from '../errors.ts'
import type { MessageOptions } from '../messages/options.ts'
import { readMoment } from '../messages/schedule.ts'
import { isOfOtherYear, OTHER_YEAR } from '../schemas/years.ts'

/* By when a message should have left. It decides nothing: the forecast is compared with it, and a send that is late says so. */

export const DeadlineField = Type.String({
  maxLength: 64,
  description:
    'By when the last recipient should have left, in ISO 8601; after its departure. When the forecast is later, the answer has a warning. It is sent all the same. Default: none.'
})

/** The options of a send with its deadline, if it names one. */
export function withDeadline(
  options: MessageOptions | undefined,
  text: string | undefined,
  { timeZone }: { timeZone: string }
): MessageOptions | undefined {
  if (text === undefined) return options
  const deadline = readMoment(text, timeZone)
  if (!deadline) {
    const message = 'must be a date and time in ISO 8601, such as 2026-12-24T18:00:00+01:00'
    throw invalidInput([{ path: 'deadline', message }])
  }
  if (isOfOtherYear(deadline)) throw invalidInput([{ path: 'deadline', message: OTHER_YEAR }])
  return { ...options, deadline: deadline.toISOString() }
}

/** For a new send. One that was accepted keeps its deadline when it departs, however late that is. */
export function refusePastDeadline({
  options,
  departsAt
}: {
  options?: MessageOptions | undefined
  departsAt: Date
}): void {
  if (options?.deadline === undefined || new Date(options.deadline) > departsAt) return
  throw invalidInput([{ path: 'deadline', message: 'must be after the message begins to leave' }])
}

export function isLate(finishesAt: Date, options: MessageOptions | null | undefined): boolean {
  return options?.deadline !== undefined && finishesAt > new Date(options.deadline)
}

/** Why a send that is accepted should be changed; empty if it is in time. */
export function lateWarnings(finishesAt: Date, options: MessageOptions | undefined): string[] {
  if (!isLate(finishesAt, options)) return []
  return [
    `It will not have left by its deadline, ${options?.deadline}: at the pace of the carriers, the last recipient leaves at about ${finishesAt.toISOString()}.`
  ]
}
