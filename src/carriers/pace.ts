/*
 * How fast a carrier lets us send, learned from its answers. Without a limit at first. Once it throttles a good part of what
 * it is sent, the pace begins at what it took in a second. From then on each accepted submit makes the pace a little
 * faster, and each throttled one makes it slower by so much that the two balance at a small share of throttled ones. So the
 * pace settles right above any limit, whether that is a token bucket or a count by the second, and follows it down and up.
 * A carrier that throttles less than that share at random hardly slows down.
 *
 * A carrier may throttle more than that share whatever the pace is. Then a slower pace has the same share throttled, and
 * less is taken: that share is tolerated from then on.
 */

/** The share of throttled submits that the pace settles at. */
const THROTTLED_SHARE = 0.045
/** The most of it that is tolerated because it does not depend on the pace. */
const THROTTLED_SHARE_MAX = 0.6
/** A pace begins with so many throttled, and such a share, within one to two seconds. */
const BEGIN_THROTTLED = 5
const BEGIN_SHARE = 0.1
/** Taken off the pace for each that is throttled, per second, and of the pace at most. */
const CUT_PER_SECOND = 1.9
const CUT_SHARE_MAX = 0.05
const PER_SECOND_MIN = 1
/** The pace does not fall below so much of what was taken in a second: a carrier that counts by the second throttles the rest of it. */
const TAKEN_SHARE = 0.9
/** Where it begins at least: with little traffic, what was taken says nothing, and cuts are quick. */
const PER_SECOND_START = 20
/** Without throttling for so long, or for as long as so many take, growth doubles, and doubles again and again. */
const STEADY_MS = 1_500
const STEADY_SUBMITS = 20
const DOUBLING_MS = 500
/** Added to the pace for each that is accepted, at most: per second, and of the pace. */
const GROWTH_PER_SECOND_MAX = 1
const GROWTH_SHARE_MAX = 0.1
/** The same while no limit is known. */
const SEARCH_PER_SECOND = 2
const SEARCH_SHARE = 0.2
/** When nothing was taken for so long, what the limit was says nothing any more. */
const SEARCH_AFTER_MS = 3_000
const FORGOTTEN_AFTER_MS = 60_000
/** A pace of which less than this share is used is not tried out, and does not grow: it would only make bursts larger. */
const USED_SHARE = 0.6
/** An answer that takes longer tells of an older pace: changes are then smaller accordingly, or the pace would swing. */
const LATENCY_MS = 200
const LATENCY_WEIGHT = 0.05
/** So much of a second is gathered to leave in one go: to wake up for each costs more than to send it. */
const GATHERED_SECONDS = 0.02
/** What may leave at once after a pause of ours: a late timer must not cost rate. */
const BURST_SECONDS = 0.15
/** To tell whether the throttled share depends on the pace, stretches of so many answers, and so long, are compared. */
const STRETCH_ANSWERS = 50
const STRETCH_MS = 2_000
/** At so much less of a pace, a limit would have throttled far fewer, and taken as many. */
const COMPARED_SHARE = 0.7
const SIMILAR_SHARE = 1.5
const SIMILAR_TAKEN = 1.2
/** By so much more than what is throttled at any pace, so that the pace grows. */
const TOLERATED_MORE = 2
/** What is tolerated is unlearned by so much of it in each stretch. */
const UNLEARNED_SHARE = 0.03

export class Pace {
  #perSecond: number | null = null
  #tokens = 0
  #tokensAtMs = 0
  #isGathering = false
  #begunAtMs = 0
  #throttledAtMs = 0
  #acceptedAtMs = 0
  /** No limit is known yet, or no longer. */
  #isSearching = false
  #tolerated = THROTTLED_SHARE
  #latencyMs = 0
  #stretch = { fromMs: 0, accepted: 0, throttled: 0 }
  /** An earlier stretch, at a higher pace. */
  #compared: Stretch | undefined
  /** Answers of this second and of the one before, to know when and where to begin. */
  #now = { accepted: 0, throttled: 0 }
  #before = { accepted: 0, throttled: 0 }

  get perSecond(): number | null {
    return this.#perSecond
  }

  /** Until some may leave; 0 is now. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === null) return 0
    const perMs = this.#perSecond / 1000
    const burst = Math.max(1, this.#perSecond * BURST_SECONDS)
    this.#tokens = Math.min(burst, this.#tokens + (nowMs - this.#tokensAtMs) * perMs)
    this.#tokensAtMs = nowMs
    const needed = this.#isGathering ? Math.max(1, this.#perSecond * GATHERED_SECONDS) : 1
    this.#isGathering = this.#tokens < needed
    if (!this.#isGathering) return 0
    return (Math.max(needed, this.#perSecond * GATHERED_SECONDS) - this.#tokens) / perMs
  }

  take(): void {
    if (this.#perSecond !== null) this.#tokens--
  }

  /** Once a second. */
  tick(nowMs: number): void {
    this.#before = this.#now
    this.#now = { accepted: 0, throttled: 0 }
    if (nowMs - this.#throttledAtMs > FORGOTTEN_AFTER_MS) this.#perSecond = null
  }

  /** The carrier was out of reach: its earlier answers say nothing about it now. */
  forget(): void {
    this.#perSecond = null
    this.#now = { accepted: 0, throttled: 0 }
    this.#before = { accepted: 0, throttled: 0 }
  }

  onAccepted(sentAtMs: number, nowMs: number): void {
    this.#latencyMs += (nowMs - sentAtMs - this.#latencyMs) * LATENCY_WEIGHT
    this.#now.accepted++
    this.#stretch.accepted++
    this.#acceptedAtMs = nowMs
    if (this.#perSecond === null || this.#answered < this.#perSecond * USED_SHARE) return
    this.#perSecond += this.#growth(this.#perSecond, nowMs) * this.#caution
    this.#endStretch(nowMs)
  }

  /** What was sent before there was a pace says nothing about it. */
  onThrottled(sentAtMs: number, nowMs: number): void {
    this.#now.throttled++
    this.#throttledAtMs = nowMs
    if (this.#perSecond === null) this.#beginIfMany(nowMs)
    else if (sentAtMs > this.#begunAtMs) {
      this.#stretch.throttled++
      this.#isSearching = nowMs - this.#acceptedAtMs > SEARCH_AFTER_MS
      const taken = Math.max(this.#now.accepted, this.#before.accepted)
      const least = Math.max(PER_SECOND_MIN, Math.min(this.#perSecond, taken * TAKEN_SHARE))
      this.#perSecond = Math.max(least, this.#perSecond - cutOf(this.#perSecond) * this.#caution)
      this.#endStretch(nowMs)
    }
  }

  #beginIfMany(nowMs: number): void {
    const accepted = this.#now.accepted + this.#before.accepted
    const throttled = this.#now.throttled + this.#before.throttled
    if (throttled < BEGIN_THROTTLED || throttled < BEGIN_SHARE * (accepted + throttled)) return
    this.#perSecond = Math.max(PER_SECOND_START, this.#now.accepted, this.#before.accepted)
    this.#tokens = 0
    this.#tokensAtMs = nowMs
    this.#isGathering = true
    this.#begunAtMs = nowMs
    this.#acceptedAtMs = nowMs
    this.#isSearching = true
    this.#tolerated = THROTTLED_SHARE
    this.#compared = undefined
    this.#stretch = { fromMs: nowMs, accepted: 0, throttled: 0 }
  }

  /** How many answers came in a second, lately. */
  get #answered(): number {
    return Math.max(this.#now.accepted + this.#now.throttled, this.#before.accepted + this.#before.throttled)
  }

  /** From 1, for a carrier that answers quickly, towards 0. */
  get #caution(): number {
    return Math.min(1, LATENCY_MS / this.#latencyMs)
  }

  #growth(perSecond: number, nowMs: number): number {
    if (this.#isSearching) return Math.min(SEARCH_PER_SECOND, SEARCH_SHARE * perSecond)
    const balanced = (cutOf(perSecond) * this.#tolerated) / (1 - this.#tolerated)
    const steadyMs = Math.max(STEADY_MS, (STEADY_SUBMITS / perSecond) * 1000)
    const beyondMs = Math.max(0, nowMs - this.#throttledAtMs - steadyMs)
    const most = Math.max(balanced, Math.min(GROWTH_PER_SECOND_MAX, GROWTH_SHARE_MAX * perSecond))
    return Math.min(most, balanced * 2 ** (beyondMs / DOUBLING_MS))
  }

  /** Compares what became of the submits of a stretch with those of one at a higher pace. */
  #endStretch(nowMs: number): void {
    const { fromMs, accepted, throttled } = this.#stretch
    const seconds = (nowMs - fromMs) / 1000
    const answered = accepted + throttled
    if (answered < STRETCH_ANSWERS || seconds < STRETCH_MS / 1000) return
    const stretch = { perSecond: answered / seconds, share: throttled / answered }
    this.#stretch = { fromMs: nowMs, accepted: 0, throttled: 0 }
    this.#tolerated -= (this.#tolerated - THROTTLED_SHARE) * UNLEARNED_SHARE
    if (!this.#compared || stretch.perSecond > this.#compared.perSecond || stretch.share <= THROTTLED_SHARE) {
      this.#compared = stretch
    } else if (stretch.perSecond <= this.#compared.perSecond * COMPARED_SHARE) {
      if (isAtAnyPace(stretch, this.#compared)) {
        this.#tolerated = Math.min(THROTTLED_SHARE_MAX, stretch.share * TOLERATED_MORE)
      }
      this.#compared = stretch
    }
  }
}

interface Stretch {
  perSecond: number
  /** Of all answers, those that throttled. */
  share: number
}

function cutOf(perSecond: number): number {
  return Math.min(CUT_PER_SECOND, CUT_SHARE_MAX * perSecond)
}

/** Whether as large a share was throttled at the slower pace. A limit would have thrown far fewer out. */
function isAtAnyPace(slower: Stretch, faster: Stretch): boolean {
  const isMuch = slower.share > THROTTLED_SHARE * SIMILAR_SHARE
  const isMore = slower.share > faster.share * SIMILAR_SHARE
  return isMuch && !isMore && 1 - slower.share < (1 - faster.share) * SIMILAR_TAKEN
}
