import { setTimeout as sleep } from 'node:timers/promises'
import type Driver from 'postgres'

const RECONNECT_MS = 500

/** Options of the driver beyond those of the pool; its types know neither all of them nor that null means never. */
export type DriverOptions = Record<string, unknown>

type Open = (options: DriverOptions) => Driver.Sql

/**
 * Listens on a connection of its own until it is stopped. Written here because the driver's own `listen` tries once to
 * reconnect and then is silent for ever.
 */
export async function startListening(
  open: Open,
  { channel, onNotify, onListening }: { channel: string; onNotify: (payload: string) => void; onListening: () => void }
): Promise<{ stop(): Promise<void> }> {
  let isStopped = false
  // Set once it listens: a connection that closes before that has failed, and is nobody's to resume.
  let session: Driver.Sql | undefined
  session = await listen()

  async function listen(): Promise<Driver.Sql> {
    const sql = open({
      max: 1,
      idle_timeout: null,
      max_lifetime: null,
      onclose: () => void resume(sql),
      onnotify: (_channel: string, payload: string) => onNotify(payload)
    })
    try {
      await sql.unsafe(`listen ${channel}`)
    } catch (error) {
      await sql.end({ timeout: 1 })
      throw error
    }
    onListening()
    return sql
  }

  async function resume(lost: Driver.Sql): Promise<void> {
    if (lost !== session) return
    while (!isStopped) {
      await sleep(RECONNECT_MS)
      if (isStopped) return
      try {
        session = await listen()
        if (isStopped) await session.end({ timeout: 1 })
        return
      } catch {
        // The database is still away; the pool's own users say so in the log.
      }
    }
  }

  return {
    async stop() {
      isStopped = true
      await session?.end({ timeout: 1 })
    }
  }
}
