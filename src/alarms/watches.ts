import { X509Certificate } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import { readCarriersNow } from '../carriers/route-view.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { LANES } from '../messages/message.ts'
import { listQueueAges } from '../queue/queue-ages.store.ts'
import type { AlarmKind, Trouble } from './alarm.ts'
import type { Scope } from './alarms.store.ts'
import { listDisabledWebhooks, listExpiringKeys, listLowRates, readDatabaseGigabytes } from './troubles.store.ts'

/** Looks at some kinds of trouble. It sees all in its scope. */
export interface Watch {
  kinds: readonly AlarmKind[]
  scope: Scope
  look(database: Database, operatorId: number): Promise<Trouble[]>
}

export interface WatchSettings {
  /** How old the oldest transactional batch may be. */
  queueSeconds: number
  /** How much of the disk must be free. */
  diskPercent: number
  /** The folder of the embedded database; undefined with a database of one's own. */
  databaseFolder: string | undefined
  /** How large the database may grow; undefined if nobody said. */
  databaseGigabytes: number | undefined
  /** How long before its end a key or a certificate is told of. */
  expiryDays: number
  /** Files of certificates that this process serves; the first certificate of each counts. */
  certificateFiles: readonly string[]
}

export interface WatchParts {
  routing: RoutingTable
  suspended: Pick<SuspendedAccounts, 'ids'>
  settings: WatchSettings
}

const DAY_MS = 86_400_000
/** Marketing may wait: carriers take what they take. */
const MARKETING_SECONDS = 3_600
/** Of the size that the database may have, in percent. */
const DATABASE_PERCENT = 90

const EVERYWHERE: Scope = { prefix: '' }

/** What every process can see, whatever its machine. One process with the role `api` is enough to look. */
export function createWatches({ routing, suspended, settings }: WatchParts): Watch[] {
  const { queueSeconds, databaseGigabytes, expiryDays } = settings
  const watches: Watch[] = [
    {
      kinds: ['carrier_down'],
      scope: EVERYWHERE,
      look: (database, accountId) => findDown(database, { accountId, routing })
    },
    {
      kinds: ['queue_old'],
      scope: EVERYWHERE,
      look: (database, accountId) => findOldQueues(database, { accountId, suspended, queueSeconds })
    },
    { kinds: ['delivery_rate_low'], scope: EVERYWHERE, look: listLowRates },
    { kinds: ['webhook_disabled'], scope: EVERYWHERE, look: listDisabledWebhooks },
    { kinds: ['key_expires'], scope: EVERYWHERE, look: (database) => listExpiringKeys(database, expiryDays) }
  ]
  if (databaseGigabytes !== undefined) {
    watches.push({
      kinds: ['database_large'],
      scope: EVERYWHERE,
      look: (database, accountId) => lookAtSize(database, { accountId, bound: databaseGigabytes })
    })
  }
  return watches
}

/** What only the machine of this process can see, under its name: every process looks, whatever its roles. */
export function createMachineWatches({ routing, settings }: Pick<WatchParts, 'routing' | 'settings'>): Watch[] {
  const { diskPercent: bound, databaseFolder: folder, expiryDays, certificateFiles } = settings
  const machine = `${hostname()} `
  const watches = certificateFiles.map((file): Watch => {
    const subject = `${machine}${file}`
    const look: Watch['look'] = async (_database, accountId) =>
      // The first of the file is the server's own.
      lookAtEnd(new X509Certificate(await readFile(file)), { accountId, subject, name: file, bound: expiryDays })
    return { kinds: ['certificate_expires'], scope: { subject }, look }
  })
  const prefix = `${machine}carrier `
  watches.push({
    kinds: ['certificate_expires'],
    scope: { prefix },
    look: async (_database, accountId) =>
      routing.trustedCertificates().flatMap(({ carrier, file, text }) => {
        const name = `${file} (${carrier})`
        return lookAtEnd(lastToEnd(text), { accountId, subject: `${prefix}${carrier}`, name, bound: expiryDays })
      })
  })
  if (folder !== undefined) {
    const subject = `${machine}${folder}`
    const look: Watch['look'] = (_database, accountId) => lookAtDisk({ accountId, subject, folder, bound })
    watches.push({ kinds: ['disk_low'], scope: { subject }, look })
  }
  return watches
}

/** Carriers that routes lead to and that no process can send through. Who paused a carrier knows that it does not send. */
async function findDown(
  database: Database,
  { accountId, routing }: { accountId: number; routing: RoutingTable }
): Promise<Trouble[]> {
  const { up, pauses } = await readCarriersNow(database, routing)
  const routed = new Set(routing.file.routes.flatMap(({ carriers }) => carriers))
  return [...routed]
    .filter((name) => !up.has(name) && pauses.of(name) === undefined)
    .map((name) => ({ accountId, kind: 'carrier_down', subject: name, name, value: null, bound: null }))
}

async function findOldQueues(
  database: Database,
  {
    accountId,
    suspended,
    queueSeconds
  }: { accountId: number; suspended: Pick<SuspendedAccounts, 'ids'>; queueSeconds: number }
): Promise<Trouble[]> {
  const ages = await listQueueAges(database, { exceptAccountIds: suspended.ids() })
  return Object.entries(LANES).flatMap(([name, lane]): Trouble[] => {
    const bound = name === 'marketing' ? MARKETING_SECONDS : queueSeconds
    const seconds = ages.find((age) => age.lane === lane)?.seconds ?? 0
    if (seconds <= bound) return []
    return [{ accountId, kind: 'queue_old', subject: name, name, value: Math.round(seconds), bound }]
  })
}

async function lookAtSize(
  database: Database,
  { accountId, bound }: { accountId: number; bound: number }
): Promise<Trouble[]> {
  const value = await readDatabaseGigabytes(database)
  if (value * 100 < bound * DATABASE_PERCENT) return []
  return [{ accountId, kind: 'database_large', subject: 'database', name: 'database', value: rounded(value), bound }]
}

async function lookAtDisk({
  accountId,
  subject,
  folder,
  bound
}: {
  accountId: number
  subject: string
  folder: string
  bound: number
}): Promise<Trouble[]> {
  const { bavail, blocks } = await statfs(folder)
  const value = (bavail / blocks) * 100
  if (value >= bound) return []
  return [{ accountId, kind: 'disk_low', subject, name: folder, value: rounded(value), bound }]
}

function lookAtEnd(
  { validToDate }: X509Certificate,
  of: Pick<Trouble, 'accountId' | 'subject' | 'name'> & { bound: number }
): Trouble[] {
  const value = Math.floor((validToDate.getTime() - databaseNowMs()) / DAY_MS)
  return value >= of.bound ? [] : [{ ...of, kind: 'certificate_expires', value }]
}

/** A file that has the old and the new certificate of a carrier is good until the new one ends. */
function lastToEnd(text: string): X509Certificate {
  const all = text.match(PEM)?.map((pem) => new X509Certificate(pem)) ?? []
  const [last] = all.toSorted((a, b) => b.validToDate.getTime() - a.validToDate.getTime())
  if (!last) throw new Error('no certificate in PEM')
  return last
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
