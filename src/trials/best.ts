/*
 * How sure it is that a variant is the best. The true rate of a variant is unknown: `count` of `of` people is one sample of it.
 * Every rate that could be the true one gets its weight (a beta distribution, from a uniform prior). The chance of a variant is
 * that its true rate is the highest of all.
 */

/** So many of so many people did what decides. */
export interface Sample {
  count: number
  of: number
}

/** Points between the lowest and the highest rate that matter. */
const POINTS = 4_000
/** How far from its mean a rate is looked for, in standard deviations. */
const REACH = 8

/** The chance of each variant to be the best. They add up to 1. */
export function chancesToBeBest(samples: readonly Sample[]): number[] {
  const rates = samples.map(toRate)
  const low = Math.max(0, Math.min(...rates.map(({ mean, deviation }) => mean - REACH * deviation)))
  const high = Math.min(1, Math.max(...rates.map(({ mean, deviation }) => mean + REACH * deviation)))
  // In the middle of each step: at 0 and 1 a weight may be infinite.
  const points = Array.from({ length: POINTS }, (_, index) => low + ((index + 0.5) * (high - low)) / POINTS)
  const weights = rates.map((rate) => weightsAt(points, rate))
  const below = weights.map(cumulated)
  const chances = weights.map((own, variant) =>
    own.reduce((sum, weight, point) => {
      const others = below.reduce((all, at, other) => (other === variant ? all : all * (at[point] ?? 0)), 1)
      return sum + weight * others
    }, 0)
  )
  const sum = chances.reduce((total, chance) => total + chance, 0)
  return chances.map((chance) => chance / sum)
}

interface Rate {
  /** People who did what decides, and people who did not; one of each is the prior. */
  did: number
  didNot: number
  mean: number
  deviation: number
}

/** A count never exceeds its people: those whose delivery was not reported may click too. */
function toRate({ count, of }: Sample): Rate {
  const did = Math.min(count, of) + 1
  const didNot = of - Math.min(count, of) + 1
  const all = did + didNot
  const mean = did / all
  return { did, didNot, mean, deviation: Math.sqrt((mean * (1 - mean)) / (all + 1)) }
}

/** The weight of a rate at each point, 1 in all. By logarithms: the powers of a million people are too small for a number. */
function weightsAt(points: readonly number[], { did, didNot }: Rate): number[] {
  const logs = points.map((point) => (did - 1) * Math.log(point) + (didNot - 1) * Math.log1p(-point))
  const highest = logs.reduce((a, b) => Math.max(a, b))
  const weights = logs.map((log) => Math.exp(log - highest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** The weight below each point, with half of its own: two rates at the same point are a tie. */
function cumulated(weights: readonly number[]): number[] {
  let sum = 0
  return weights.map((weight) => {
    sum += weight
    return sum - weight / 2
  })
}
