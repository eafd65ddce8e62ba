import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Phones } from '../../simulator/phones/phones.ts'
import { type Smsc, type SmscOptions, startSmsc as start } from '../../simulator/smpp/smsc.ts'
import { atEnd } from '../service/cleanup.ts'

export type { Smsc } from '../../simulator/smpp/smsc.ts'

/** A carrier to send through, which keeps what it took for each number. */
export async function startSmsc(t: TestContext, options: Partial<SmscOptions> = {}): Promise<Smsc> {
  const smsc = await start({ phones: new Phones(), record: true, ...options })
  atEnd(t, () => smsc.stop())
  return smsc
}

export type CarrierEntry = Record<string, unknown> & { name: string }
export type RouteEntry = {
  channel?: 'sms' | 'rcs'
  prefix: string
  account?: number
  sender?: string
  category?: 'transactional' | 'marketing'
  carriers: string[]
  tryNextOn?: (string | number)[]
  triesMax?: number
}

/** What the carriers file says of a carrier. */
export function carrierTo(
  { host, port }: Pick<Smsc, 'host' | 'port'>,
  fields: Record<string, unknown> = {}
): CarrierEntry {
  return { name: 'main', type: 'smpp', host, port, systemId: 'chappe', password: 'secret', ...fields }
}

export interface CarriersFile {
  path: string
  /** Written anew; whoever uses it has to be told. */
  write(carriers: CarrierEntry[], routes?: RouteEntry[]): Promise<void>
  /** Whatever is given, right or wrong. */
  writeText(text: string): Promise<void>
}

/** A carriers file. Without routes, the carriers take everything of their channel, the first of them first. */
export async function carriersFile(
  t: TestContext,
  carriers: CarrierEntry[],
  routes?: RouteEntry[]
): Promise<CarriersFile> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-carriers-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'carriers.json')
  const file: CarriersFile = {
    path,
    writeText: (text) => writeFile(path, text),
    write: (carriers, routes = routesTo(carriers)) =>
      file.writeText(
        JSON.stringify({ carriers, routes: routes.map((route) => ({ channel: 'sms', ...route })) }, null, 2)
      )
  }
  await file.write(carriers, routes)
  return file
}

function routesTo(carriers: CarrierEntry[]): RouteEntry[] {
  const namesOf = (...types: unknown[]) => carriers.filter(({ type }) => types.includes(type)).map(({ name }) => name)
  const routes: RouteEntry[] = [{ prefix: '', carriers: namesOf('smpp', 'http') }]
  return [...routes, { channel: 'rcs' as const, prefix: '', carriers: namesOf('rbm') }].filter(
    (route) => route.carriers.length > 0
  )
}
