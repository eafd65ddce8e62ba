import type { Database } from '../database/database.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { type LaterSending, readStoredSend } from '../sends/depart.ts'
import { isOfAudience, laterMessageProblems, readLaterMessage, withPaths } from '../sends/later-message.ts'
import { fromNumbers } from '../sends/recipient-sources.ts'
import type { Send } from '../sends/send.ts'
import { withPace } from '../sends/spread.ts'
import type { Trial, TrialInput, Variant } from './trial.ts'
import type { DecideBy } from './verdict.ts'

/** A variant as a send of now. */
export interface VariantSend {
  label: string
  send: Send
  /** Runs a check of the send. The paths of its problems are those of the request. */
  check<T>(work: () => Promise<T>): Promise<T>
}

const LABELS = ['A', 'B', 'C', 'D']

export interface ReadVariants {
  variants: Variant[]
  sends: VariantSend[]
}

/** Checks the variants of a request. Nothing is written. */
export async function readVariants(
  database: Database,
  { variants, decide_by: decideBy }: TrialInput,
  { caller, sending }: { caller: Caller; sending: LaterSending }
): Promise<ReadVariants> {
  const labels = variants.map(({ label }, index) => label?.trim() ?? LABELS[index] ?? '')
  const problems = variants.flatMap((variant, index) => [
    ...labelProblems(labels, index),
    ...at(index, laterMessageProblems(variant))
  ])
  if (problems.length > 0) throw invalidInput(problems)
  const read: ReadVariants = { variants: [], sends: [] }
  for (const [index, variant] of variants.entries()) {
    const check = <T>(work: () => Promise<T>) => withPaths(work, (problems) => at(index, problems))
    const message = await check(() => readLaterMessage(database, variant, { caller, author: undefined, ...sending }))
    const checkSend = <T>(work: () => Promise<T>) => check(() => message.check(work))
    await checkSend(() => withPace(database, message.send, NO_RECIPIENTS))
    const label = labels[index] ?? ''
    read.variants.push({ label, request: message.request })
    read.sends.push({ label, send: message.send, check: checkSend })
  }
  const differing = read.sends.flatMap((variant, index) => comparisonProblems(read.sends, variant, index, decideBy))
  if (differing.length > 0) throw invalidInput(differing)
  return read
}

/** For the check of a pace. */
const NO_RECIPIENTS = fromNumbers([])

/** Reads the variants of a stored trial. */
export async function readStoredVariants(
  database: Database,
  { variants }: Pick<Trial, 'variants'>,
  { caller, sending }: { caller: Caller; sending: LaterSending }
): Promise<VariantSend[]> {
  const sends: VariantSend[] = []
  for (const { label, request } of variants) {
    const send = await readStoredSend(database, request, { caller, author: undefined, ...sending })
    sends.push({ label, send, check: (work) => work() })
  }
  return sends
}

function labelProblems(labels: readonly string[], index: number): InputProblem[] {
  const path = `variants[${index}].label`
  if (labels[index] === '') return [{ path, message: 'must not be empty' }]
  return labels.indexOf(labels[index] ?? '') < index
    ? [{ path, message: 'must differ from those of the other variants' }]
    : []
}

/** Variants must be alike in all that decides whom they may be sent to, and must have what is counted. */
function comparisonProblems(
  [first]: readonly VariantSend[],
  { send }: VariantSend,
  index: number,
  decideBy: DecideBy
): InputProblem[] {
  const path = `variants[${index}]`
  const { channel } = send
  if (first && first.send.channel !== channel) {
    return [{ path: `${path}.${channel}`, message: `must be ${first.send.channel}, as in the first variant` }]
  }
  return [
    ...(first && first.send.category !== send.category
      ? [{ path: `${path}.${channel}.category`, message: `must be ${first.send.category}, as in the first variant` }]
      : []),
    ...(decideBy === 'clicks' && !send.link
      ? [{ path: `${path}.${channel}.shorturl`, message: 'is missing: clicks are counted on a tracked link' }]
      : [])
  ]
}

function at(index: number, problems: readonly InputProblem[]): InputProblem[] {
  return problems.map(({ path, message }) => ({
    path: isOfAudience(path) ? path : `variants[${index}].${path}`,
    message
  }))
}
