import { chancesToBeBest } from './best.ts'

/* Which variant did best, and how sure that is. */

export const MEASURES = ['clicks', 'replies', 'deliveries', 'hand'] as const
export type DecideBy = (typeof MEASURES)[number]

/** The counts of a variant's message. */
export interface Figures {
  recipients: number
  /** Recipients but for those who were cancelled, or opted out before it left. Rates are of these. */
  counted: number
  sent: number
  delivered: number
  clicked: number
  replied: number
  optedOut: number
}

export const NO_FIGURES: Figures = {
  recipients: 0,
  counted: 0,
  sent: 0,
  delivered: 0,
  clicked: 0,
  replied: 0,
  optedOut: 0
}

export const CERTAINTIES = ['sure', 'likely', 'open', 'too_few'] as const
export type Certainty = (typeof CERTAINTIES)[number]

const SURE = 0.95
const LIKELY = 0.8
/** With fewer people in a variant, or fewer of them who did anything in all variants, chance decides. */
const PEOPLE_MIN = 30
const DONE_MIN = 5

export interface Verdict {
  /** The place of the best variant. Of equals it is the first. */
  best: number
  isTie: boolean
  /** By variant; null where a person decides, and for a variant without people. */
  rates: (number | null)[]
  /** By variant: the chance that it really is the best. */
  chances: number[] | null
}

const COUNTS = { clicks: 'clicked', replies: 'replied', deliveries: 'delivered' } as const

export function judge(figures: readonly Figures[], decideBy: DecideBy): Verdict {
  if (decideBy === 'hand') return { best: 0, isTie: true, rates: figures.map(() => null), chances: null }
  const samples = figures.map((variant) => ({ count: variant[COUNTS[decideBy]], of: variant.counted }))
  const rates = samples.map(({ count, of }) => (of === 0 ? null : Math.min(1, count / of)))
  const highest = Math.max(...rates.map((rate) => rate ?? 0))
  const best = rates.findIndex((rate) => (rate ?? 0) === highest)
  const isTie = rates.filter((rate) => (rate ?? 0) === highest).length > 1
  return { best, isTie, rates, chances: chancesToBeBest(samples) }
}

export function certaintyOf(
  figures: readonly Figures[],
  decideBy: DecideBy,
  chance: number | undefined
): Certainty | null {
  if (decideBy === 'hand' || chance === undefined) return null
  const done = figures.reduce((sum, variant) => sum + variant[COUNTS[decideBy]], 0)
  if (done < DONE_MIN || figures.some(({ counted }) => counted < PEOPLE_MIN)) return 'too_few'
  return chance >= SURE ? 'sure' : chance >= LIKELY ? 'likely' : 'open'
}

const DID = { clicks: 'clicked', replies: 'replied', deliveries: 'got it' } as const

const SENTENCES: Record<Certainty, string> = {
  sure: 'The difference is hardly chance.',
  likely: 'The difference may be chance.',
  open: 'The difference is too small to tell.',
  too_few: 'The figures are too small to tell.'
}

/** One or a few sentences that tell a choice. */
export function describeChoice(
  { winner, isByHand }: { winner: number; isByHand: boolean },
  {
    labels,
    figures,
    decideBy,
    certainty
  }: { labels: readonly string[]; figures: readonly Figures[]; decideBy: DecideBy; certainty: Certainty | null }
): string {
  const chosen = `${labels[winner]} was chosen ${isByHand ? 'by hand' : `by ${decideBy}`}.`
  if (decideBy === 'hand' || certainty === null) return chosen
  const counts = figures.map(({ counted, [COUNTS[decideBy]]: count }, at) => `${labels[at]} ${count} of ${counted}`)
  const { best, isTie, chances } = judge(figures, decideBy)
  const told = `${chosen} People who ${DID[decideBy]}: ${counts.join(', ')}.`
  if (isTie && winner === best) return `${told} The best are equal, and the first of them was taken.`
  const percent = Math.round((chances?.[winner] ?? 0) * 100)
  return `${told} The chance that it really is the best is ${percent} %. ${SENTENCES[certainty]}`
}
