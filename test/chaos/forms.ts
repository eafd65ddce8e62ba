import type { ChaosOptions } from './run.ts'

/* The two forms of a run: they differ in size and in patience, not in what is done and checked. */

interface Size {
  seed: number
  nodes: number
  kills: number
  recipients: number
  policies: ChaosOptions['policies']
  say(line: string): void
}

/** About ten minutes with 30 kills: a process that was killed leaves the lease of its bind, which lasts for up to 9 s. */
export function fullForm({ seed, nodes, kills, recipients, policies, say }: Size): ChaosOptions {
  const some = Math.max(1, Math.round(kills / 10))
  return {
    plan: {
      seed,
      nodes,
      counts: {
        kill: kills,
        stop: some,
        cut: some + 1,
        blackhole: some,
        database: some + 1,
        receiver: some,
        'late receipts': some
      },
      gapMs: [300, 5_000],
      // A bind is leased for 9 s, a batch for 30 s.
      stopMs: [10_000, 34_000],
      blackholeMs: [5_000, 25_000],
      databaseMs: [0, 4_000],
      receiverMs: [10_000, 25_000],
      lateReceiptsMs: [20_000, 60_000],
      // Doubts are decided after 60 s.
      receiptDelayMs: 75_000
    },
    load: { recipients, singlesPerSecond: 5, lateReplyMs: 75_000 },
    policies,
    window: 40,
    answerDelayMs: 200,
    answerTimeoutSeconds: 10,
    enquireLinkSeconds: 5,
    // A webhook that was tried three times in vain waits for five minutes, and a slow machine has most of the campaign left.
    settleWithinMs: 900_000,
    isHurried: false,
    say
  }
}

/** Under a minute: leases of the dead, doubts and retries are hurried. */
export function shortForm({ seed, kills, recipients, policies, say }: Omit<Size, 'nodes'>): ChaosOptions {
  return {
    plan: {
      seed,
      nodes: 1,
      counts: { kill: kills, stop: 1, cut: 1, blackhole: 1, database: 1, receiver: 1, 'late receipts': 1 },
      gapMs: [100, 1_000],
      // Past the lease of a bind, which the process itself keeps the time of.
      stopMs: [9_500, 10_000],
      blackholeMs: [2_000, 4_000],
      databaseMs: [0, 500],
      receiverMs: [1_000, 3_000],
      lateReceiptsMs: [3_000, 6_000],
      receiptDelayMs: 8_000
    },
    load: { recipients, singlesPerSecond: 5, lateReplyMs: 6_000 },
    policies,
    window: 20,
    answerDelayMs: 150,
    answerTimeoutSeconds: 2,
    enquireLinkSeconds: 1,
    settleWithinMs: 150_000,
    isHurried: true,
    say
  }
}
