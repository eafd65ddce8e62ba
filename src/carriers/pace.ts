/*
 * How fast a carrier lets us send, learned from its answers. At first there is no limit. Once the carrier throttles a
 * good part of the submits, the pace begins at the number that it accepted in a second. From then on each accepted
 * submit makes the pace a little faster. Each throttled submit makes it slower, by so much that the two balance at a
 * small share of throttled submits. So the pace settles right above any limit, be it a token bucket or a count by the
 * second, and follows it down and up. A carrier that throttles a smaller share at random hardly slows down.
 *
 * A carrier may throttle a larger share at any pace. A slower pace then has the same share throttled, and fewer submits
 * accepted: the pace tolerates that share from then on.
 */

/** The share of throttled submits that the pace settles at. */
const THROTTLED_SHARE = 0.045
/** The largest share that is tolerated because it does not depend on the pace. */
const THROTTLED_SHARE_MAX = 0.6
/** A pace begins when so many submits, and such a share, were throttled within one to two seconds. */
const BEGIN_THROTTLED = 5
const BEGIN_SHARE = 0.1
/** Each throttled submit takes this off the pace, per second, and this share of it at most. */
const CUT_PER_SECOND = 1.9
const CUT_SHARE_MAX = 0.05
const PER_SECOND_MIN = 1
/**
 * The pace stays above this share of a second's accepted submits: a carrier that counts by the second throttles the
 * rest.
 */
const TAKEN_SHARE = 0.9
/** The lowest start of a pace: with little traffic, the accepted submits say nothing, and cuts are quick. */
const PER_SECOND_START = 20
/** Without throttling for so long, or for as long as so many take, growth doubles, and doubles again and again. */
const STEADY_MS = 1_500
const STEADY_SUBMITS = 20
const DOUBLING_MS = 500
/** The most that an accepted submit adds to the pace: per second, and as a share of it. */
const GROWTH_PER_SECOND_MAX = 1
const GROWTH_SHARE_MAX = 0.1
/** The same while no limit is known. */
const SEARCH_PER_SECOND = 2
const SEARCH_SHARE = 0.2
/** Without an accepted submit for so long, the former limit says nothing any more. */
const SEARCH_AFTER_MS = 3_000
const FORGOTTEN_AFTER_MS = 60_000
/** A pace that is used less than this does not grow: growth would only make bursts larger. */
const USED_SHARE = 0.6
/** A slower answer is about an older pace: changes are then smaller accordingly, or the pace would swing. */
const LATENCY_MS = 200
const LATENCY_WEIGHT = 0.05
/** So much of a second is gathered to leave in one go: to wake up for each costs more than to send it. */
const GATHERED_SECONDS = 0.02
/** How much of a second may leave at once after a pause of ours: a late timer must not cost rate. */
const BURST_SECONDS = 0.15
/** Stretches of so many answers, and so long, are compared: does the throttled share depend on the pace? */
const STRETCH_ANSWERS = 50
const STRETCH_MS = 2_000
/** At such a share of a pace, a limit would have throttled far fewer submits, and accepted as many. */
const COMPARED_SHARE = 0.7
const SIMILAR_SHARE = 1.5
const SIMILAR_TAKEN = 1.2
/** The tolerated share is so many times the share that is throttled at any pace, so that the pace grows. */
const TOLERATED_MORE = 2
/** Each stretch unlearns so much of the tolerated share. */
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
  /** Answers of this second and of the last, to know when and where to begin. */
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

  /** A submit that was sent before there was a pace says nothing about it. */
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

  /** Compares the answers of a stretch with those of a stretch at a higher pace. */
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
  /** The throttled share of all answers. */
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
