import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Phones } from './phones/phones.ts'
import { type Rbm, SANDBOX_AGENT_ID, startRbm } from './rbm/rbm.ts'
import { newServiceAccount } from './rbm/tokens.ts'
import { type Smsc, startSmsc } from './smpp/smsc.ts'

/** The carriers and routes of a carriers file, as read from it. */
export interface SandboxCarriers {
  carriers: Record<string, unknown>[]
  routes: Record<string, unknown>[]
}

export interface Sandbox {
  carriers: SandboxCarriers
  phones: Phones
  /** Sets the base URL of the service, to post RCS events to. False if the service does not pass the challenge. */
  setService(url: string): Promise<boolean>
  stop(): Promise<void>
}

const PASSWORD = 'sandbox'
const RCS_NAME = 'sandbox-rcs'
/** 36xxx is for marketing, 38xxx for the rest. */
const SHORT_CODES = ['36111', '38111']

/** Carriers for trials without a carriers file: on this machine only. Their data ends with them. */
export async function startSandbox({ log }: { log?: (line: string) => void } = {}): Promise<Sandbox> {
  const phones = new Phones()
  const options = { phones, ...(log && { log }) }
  const smsc = await startSmsc({ ...options, systemIds: { sandbox: PASSWORD } })
  const rbm = await startRbm(options)
  const keyFile = await writeKeyFile(rbm.serviceAccount)
  return {
    carriers: describe(smsc, rbm, keyFile.path),
    phones,
    setService: (url) => rbm.setWebhook(`${url}/carriers/rbm/${RCS_NAME}/events`),
    async stop() {
      await Promise.all([smsc.stop(), rbm.stop(), keyFile.remove()])
    }
  }
}

/** The same carriers for a process that only needs their description: no carrier listens, and no platform accepts the key. */
export async function describeSandbox(): Promise<Pick<Sandbox, 'carriers' | 'stop'>> {
  const nowhere = { host: '127.0.0.1', port: 1 }
  const url = 'http://127.0.0.1:1'
  const keyFile = await writeKeyFile((await newServiceAccount(url)).account)
  const rbm = { url, agentId: SANDBOX_AGENT_ID, webhookToken: randomUUID() }
  return { carriers: describe(nowhere, rbm, keyFile.path), stop: keyFile.remove }
}

/** The sandbox as the content of a carriers file. */
function describe(
  { host, port }: Pick<Smsc, 'host' | 'port'>,
  { url, agentId, webhookToken }: Pick<Rbm, 'url' | 'agentId' | 'webhookToken'>,
  serviceAccount: string
): SandboxCarriers {
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
        window: 500,
        numbers: SHORT_CODES
      },
      {
        name: RCS_NAME,
        type: 'rbm',
        agentId,
        serviceAccount,
        baseUrl: url,
        webhookToken,
        brand: 'sandbox',
        managementUrl: url
      }
    ],
    routes: [
      { channel: 'sms', prefix: '', carriers: ['sandbox'] },
      { channel: 'rcs', prefix: '', carriers: [RCS_NAME] }
    ]
  }
}

/** A carriers file names its key by a path, so the key needs a file. */
export async function writeKeyFile(key: object): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-sandbox-'))
  const path = join(folder, 'rbm-key.json')
  await writeFile(path, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600 })
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
