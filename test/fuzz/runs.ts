import type { TestContext } from 'node:test'
import type { Parameters } from 'fast-check'

/** How much of everything: 1 in `npm test`, 20 in `npm run test:fuzz`. */
export const FUZZ_RUNS = Number(process.env.CHAPPE_FUZZ_RUNS ?? 1)

/** `npm test` always asks the same; the long form something else each time. A seed in the environment replays a failure. */
const FRESH_SEED = FUZZ_RUNS === 1 ? 20_261_115 : Date.now() % 2 ** 31
const SEED = Number(process.env.CHAPPE_TEST_SEED ?? FRESH_SEED)

/** What a property runs with; fast-check prints it when it fails, and shrinks what it failed with. */
export function runOptions<T>(runs: number): Parameters<T> {
  return { seed: SEED, numRuns: Math.ceil(runs * FUZZ_RUNS) }
}

export function tellSeed(t: TestContext): void {
  t.diagnostic(`seed ${SEED}: CHAPPE_TEST_SEED=${SEED} CHAPPE_FUZZ_RUNS=${FUZZ_RUNS} npm test -- fuzz`)
}
