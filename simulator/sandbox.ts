import { Phones } from './phones.ts'
import { startSmsc } from './smsc.ts'

/** The carriers and routes of a carriers file, as read from it. */
export interface SandboxCarriers {
  carriers: Record<string, unknown>[]
  routes: Record<string, unknown>[]
}

export interface Sandbox {
  carriers: SandboxCarriers
  phones: Phones
  stop(): Promise<void>
}

const PASSWORD = 'sandbox'

/** What a carriers file would say of it. */
export function sandboxCarriers({ host, port }: { host: string; port: number }): SandboxCarriers {
  return {
    carriers: [
      {
        name: 'sandbox',
        type: 'smpp',
        host,
        port,
        systemId: 'sandbox',
        password: PASSWORD,
        sessions: 1,
        window: 500
      }
    ],
    routes: [{ channel: 'sms', prefix: '', carriers: ['sandbox'] }]
  }
}

/** Carriers to try everything with, when no carriers file is given: on this machine only, and nothing outlives them. */
export async function startSandbox({ log }: { log?: (line: string) => void } = {}): Promise<Sandbox> {
  const phones = new Phones()
  const smsc = await startSmsc({ phones, systemIds: { sandbox: PASSWORD }, ...(log && { log }) })
  return { carriers: sandboxCarriers(smsc), phones, stop: () => smsc.stop() }
}
