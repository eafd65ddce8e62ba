import { setTimeout as sleep } from 'node:timers/promises'
import type Driver from 'postgres'
import type { DriverOptions, Session } from './watch.ts'

const RECONNECT_MS = 500
/** Who only listens says nothing, and would not notice that nobody can be heard any more. */
const ASK_MS = 5_000
const END_SECONDS = 1

interface Listening {
  channel: string
  onNotify(payload: string): void
  /** Called when it begins, and after each gap. */
  onListening(): void
  /** Asks the server for a sign of life. */
  ask(sql: Driver.Sql): Promise<unknown>
}

/**
 * Listens on a connection of its own until it is stopped. Written here because the driver's own `listen` tries once to
 * reconnect and then is silent for ever.
 */
export async function startListening(
  open: (options: DriverOptions) => Session,
  { channel, onNotify, onListening, ask }: Listening
): Promise<{ stop(): Promise<void> }> {
  let isStopped = false
  // Set once it listens: a connection that closes before that has failed, and is nobody's to resume.
  let session: Session | undefined
  session = await listen()
  const timer = setInterval(askNow, ASK_MS).unref()

  async function listen(): Promise<Session> {
    let isLost = false
    const opened = open({
      max: 1,
      idle_timeout: null,
      max_lifetime: null,
      onclose() {
        isLost = true
        void resume(opened)
      },
      onnotify: (_channel: string, payload: string) => onNotify(payload)
    })
    try {
      await opened.sql.unsafe(`listen ${channel}`)
      if (isLost) throw new Error('the connection was lost right away')
    } catch (error) {
      await opened.end(END_SECONDS)
      throw error
    }
    onListening()
    return opened
  }

  function askNow(): void {
    // A failure closes the connection, and that is noticed.
    if (session) ask(session.sql).catch(() => undefined)
  }

  async function resume(lost: Session): Promise<void> {
    if (lost !== session) return
    session = undefined
    void lost.end(0)
    while (!isStopped) {
      await sleep(RECONNECT_MS)
      if (isStopped) return
      try {
        const opened = await listen()
        if (isStopped) await opened.end(END_SECONDS)
        else session = opened
        return
      } catch {
        // The database is still away; the pool's own users say so in the log.
      }
    }
  }

  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await session?.end(END_SECONDS)
    }
  }
}
