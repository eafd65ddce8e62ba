import type { Pool } from '../database/database.ts'
import { addCounted } from './history.store.ts'
import type { CarrierHistory } from './history.ts'

/** Stores what carriers did since the last time. What can't be stored now is stored with the next. */
export async function storeHistory(pool: Pool, history: CarrierHistory): Promise<{ isMoreDue: boolean }> {
  const counted = history.take()
  if (counted.figures.length === 0) return { isMoreDue: false }
  try {
    await pool.begin((database) => addCounted(database, counted))
  } catch (error) {
    history.giveBack(counted)
    throw error
  }
  return { isMoreDue: false }
}
