/*
 * How fast a carrier lets us send, learned from what it throttles. Without limit until the first time; then as many a
 * second as it took, cut by the share that it throttled, and grown again by little: quickly while well below what was too
 * much the last time, hardly near it, and ever faster beyond it, since the carrier may have become quicker. In a minute
 * without throttling it is forgotten.
 *
 * Against a token bucket this swings between 95 % and a little over 100 % of what is allowed.
 */

const ROUND_MS = 100
/** A round is at least as long as these take: fewer say nothing about the pace. */
const ROUND_SUBMITS = 5
/** The most and the least that one cut takes away. */
const CUT_MIN = 0.5
const CUT_MAX = 0.95
const PER_SECOND_MIN = 1
/** Where it begins at least: with little traffic, what was taken says nothing, and cuts are quick. */
const PER_SECOND_START = 20
/** Growth per round: as long as no ceiling is known, far below it, near it, and at most beyond it. */
const GROWTH_START = 0.2
const GROWTH_FAR = 0.05
const GROWTH_NEAR = 0.002
const GROWTH_MAX = 0.1
/** Of the last ceiling, where "near" begins. */
const NEAR_SHARE = 0.93
/** Beyond the last ceiling, growth doubles in this many rounds. */
const ROUNDS_TO_DOUBLE = 10
const FORGOTTEN_AFTER_MS = 60_000
/** What may leave at once after a pause of ours: a late timer must not cost rate. */
const BURST_SECONDS = 0.1

export class Pace {
  #perSecond: number | null = null
  /** The pace that was too much the last time. */
  #ceiling = Number.POSITIVE_INFINITY
  #tokens = 0
  #tokensAtMs = 0
  #cutAtMs = 0
  #roundAtMs = 0
  #roundsBeyond = 0
  #isLimiting = false
  /** Answers of this round to what was sent since the last cut. */
  #accepted = 0
  #throttled = 0
  /** Taken in this second and in the one before, to know where to begin. */
  #acceptedNow = 0
  #acceptedBefore = 0

  get perSecond(): number | null {
    return this.#perSecond
  }

  /** Until the next one may leave; 0 is now. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === null) return 0
    this.#endRounds(nowMs)
    if (this.#perSecond === null) return 0
    const burst = Math.max(1, this.#perSecond * BURST_SECONDS)
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#tokensAtMs) / 1000) * this.#perSecond)
    this.#tokensAtMs = nowMs
    if (this.#tokens >= 1) return 0
    this.#isLimiting = true
    return ((1 - this.#tokens) / this.#perSecond) * 1000
  }

  take(): void {
    if (this.#perSecond !== null) this.#tokens--
  }

  /** Once a second. */
  tick(): void {
    this.#acceptedBefore = this.#acceptedNow
    this.#acceptedNow = 0
  }

  onAccepted(): void {
    this.#acceptedNow++
    this.#accepted++
  }

  /** What was sent before the last cut says nothing about the pace since. */
  onThrottled(sentAtMs: number, nowMs: number): void {
    if (this.#perSecond === null) this.#begin(nowMs)
    else if (sentAtMs > this.#cutAtMs) this.#throttled++
  }

  #begin(nowMs: number): void {
    this.#perSecond = Math.max(PER_SECOND_START, this.#acceptedNow, this.#acceptedBefore)
    this.#ceiling = Number.POSITIVE_INFINITY
    this.#tokens = 0
    this.#tokensAtMs = nowMs
    this.#cutAtMs = nowMs
    this.#startRound(nowMs)
  }

  #startRound(nowMs: number): void {
    this.#roundAtMs = nowMs
    this.#accepted = 0
    this.#throttled = 0
    this.#isLimiting = false
  }

  #endRounds(nowMs: number): void {
    if (this.#perSecond === null) return
    const roundMs = Math.max(ROUND_MS, (ROUND_SUBMITS / this.#perSecond) * 1000)
    if (nowMs - this.#roundAtMs < roundMs) return
    if (this.#throttled > 0) this.#cut(this.#perSecond, nowMs)
    else if (nowMs - this.#cutAtMs > FORGOTTEN_AFTER_MS) this.#perSecond = null
    // A pace that held nothing back was not tried: growing it would only make the next burst larger.
    else if (this.#isLimiting) this.#grow(this.#perSecond)
    this.#startRound(nowMs)
  }

  #cut(perSecond: number, nowMs: number): void {
    // One that was throttled is what it takes to find the limit; more are by how much it was passed.
    const takenShare = 1 - (this.#throttled - 1) / (this.#accepted + this.#throttled)
    this.#ceiling = perSecond
    this.#roundsBeyond = 0
    this.#perSecond = Math.max(PER_SECOND_MIN, perSecond * Math.min(CUT_MAX, Math.max(CUT_MIN, takenShare)))
    this.#cutAtMs = nowMs
  }

  #grow(perSecond: number): void {
    if (perSecond > this.#ceiling) this.#roundsBeyond++
    this.#perSecond = perSecond * (1 + this.#growth(perSecond))
  }

  #growth(perSecond: number): number {
    if (this.#ceiling === Number.POSITIVE_INFINITY) return GROWTH_START
    if (perSecond < this.#ceiling * NEAR_SHARE) return GROWTH_FAR
    return Math.min(GROWTH_MAX, GROWTH_NEAR * 2 ** (this.#roundsBeyond / ROUNDS_TO_DOUBLE))
  }
}
