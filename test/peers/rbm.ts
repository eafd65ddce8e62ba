import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Phones } from '../../simulator/phones/phones.ts'
import { type Rbm, type RbmOptions, startRbm as start } from '../../simulator/rbm/rbm.ts'
import { atEnd } from '../service/cleanup.ts'
import type { CarrierEntry } from './smsc.ts'

export type { Rbm } from '../../simulator/rbm/rbm.ts'

/** An RBM platform to send through, which keeps what it took for each phone. */
export async function startRbm(t: TestContext, options: Partial<RbmOptions> = {}): Promise<Rbm> {
  const rbm = await start({ phones: new Phones(), record: true, ...options })
  atEnd(t, () => rbm.stop())
  return rbm
}

/** What the carriers file says of it; the key file that it names is there until the test ends. */
export async function carrierToRbm(
  t: TestContext,
  rbm: Pick<Rbm, 'url' | 'agentId' | 'webhookToken' | 'serviceAccount'>,
  fields: Record<string, unknown> = {}
): Promise<CarrierEntry> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-rbm-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const serviceAccount = join(folder, 'key.json')
  await writeFile(serviceAccount, JSON.stringify(rbm.serviceAccount), { mode: 0o600 })
  const { url: baseUrl, agentId, webhookToken } = rbm
  return { name: 'rcs', type: 'rbm', agentId, serviceAccount, baseUrl, webhookToken, ...fields }
}
