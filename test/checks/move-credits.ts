import { issueCredits, transferCredits, withdrawCredits } from '../../src/credits/ledger.ts'
import { refundCredits, reserveCredits, settleCredits } from '../../src/credits/reservations.ts'
import { connect, type Database } from '../../src/database/database.ts'

/*
 * Moves credits at random, many at once, until it is killed: the other half of the ledger's property test.
 * Arguments: the database, as JSON, and a seed.
 */

const LANES = 8
const SMS = 1
const PARENTS = [1, 2, 3]
const CHILDREN = [11, 21, 31, 12, 22, 32, 13, 23, 33]

const [url = '', seed = '1'] = process.argv.slice(2)
const pool = connect({ url: JSON.parse(url), applicationName: 'mover', connectionsMax: LANES })
let state = Number(seed) * 2_654_435_761

/** xorshift32: the same seed makes the same choices. */
function random(below: number): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) % below
}

function pick<T>(values: readonly T[]): T {
  return values[random(values.length)] as T
}

await pool`select 1`
process.stdout.write('ready\n')
// References overlap between processes and lanes on purpose: the same message is touched from many sides.
await Promise.all(Array.from({ length: LANES }, () => moveForever()))

async function moveForever(): Promise<void> {
  while (true) {
    await pool
      .begin((pool) => move(pool))
      .catch((error: Error) => {
        // Refunds of what is settled or gone are refused as bugs; here they are expected.
        if (!/more than is left|has no reservation|was refunded with/.test(error.message)) throw error
      })
  }
}

async function move(pool: Database): Promise<unknown> {
  const child = pick(CHILDREN)
  const parent = child % 10
  const amount = 1 + random(40)
  const spender = {
    accountId: pick([...PARENTS, ...CHILDREN]),
    messageType: SMS,
    reference: `message:${random(200)}`
  } as const
  switch (random(7)) {
    case 0:
      return transferCredits(pool, { fromId: parent, toId: child, messageType: SMS, amount })
    case 1:
      return transferCredits(pool, { fromId: child, toId: parent, messageType: SMS, amount })
    case 2:
    case 3:
      return reserveCredits(pool, [
        { ...spender, amount },
        { ...spender, accountId: pick(CHILDREN), amount }
      ])
    case 4:
      return refundCredits(pool, {
        ...spender,
        part: `part:${random(3)}`,
        amount: 1 + random(10)
      })
    case 5:
      return settleCredits(pool, spender)
    default: {
      // What comes in from outside goes out again, so that the total stays what it was.
      await issueCredits(pool, { accountId: parent, messageType: SMS, amount, reason: 'issue' })
      return withdrawCredits(pool, { accountId: parent, messageType: SMS, amount })
    }
  }
}
