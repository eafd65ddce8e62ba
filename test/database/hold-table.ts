import type { Pool } from '../../src/database/database.ts'

/** Keeps everybody else from a table until it is let go: requests that need it wait. */
export async function holdTable(pool: Pool, table: string): Promise<{ release(): Promise<void> }> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holding = pool.begin(async (database) => {
    await database`set local idle_in_transaction_session_timeout = 0`
    await database.unsafe(`lock table ${table} in access exclusive mode`)
    held()
    await released
  })
  // The lock may be refused.
  await Promise.race([isHeld, holding])
  return {
    async release() {
      release()
      await holding
    }
  }
}
