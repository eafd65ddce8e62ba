import { X509Certificate } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import { readCarriersNow } from '../carriers/route-view.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { LANES } from '../messages/message.ts'
import { listQueueAges } from '../queue/claims.store.ts'
import type { AlarmKind, Trouble } from './alarm.ts'
import { listDisabledWebhooks, listExpiringKeys, listLowRates, readDatabaseGigabytes } from './troubles.store.ts'

/** Looks at some kinds of trouble, of which it sees all, or all whose subject begins with `scope`. */
export interface Watch {
  kinds: readonly AlarmKind[]
  scope: string
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
  /** Files of certificates that this process serves. */
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

/** The watches of this process. What only one machine can see is watched under its name. */
export function createWatches({ routing, suspended, settings }: WatchParts): Watch[] {
  const { queueSeconds, diskPercent, databaseFolder, databaseGigabytes, expiryDays, certificateFiles } = settings
  const scope = `${hostname()} `
  const watches: Watch[] = [
    { kinds: ['carrier_down'], scope: '', look: (database, accountId) => findDown(database, { accountId, routing }) },
    {
      kinds: ['queue_old'],
      scope: '',
      look: (database, accountId) => findOldQueues(database, { accountId, suspended, queueSeconds })
    },
    { kinds: ['delivery_rate_low'], scope: '', look: listLowRates },
    { kinds: ['webhook_disabled'], scope: '', look: listDisabledWebhooks },
    { kinds: ['key_expires'], scope: '', look: (database) => listExpiringKeys(database, expiryDays) }
  ]
  if (databaseGigabytes !== undefined) {
    watches.push({
      kinds: ['database_large'],
      scope: '',
      look: (database, accountId) => lookAtSize(database, { accountId, bound: databaseGigabytes })
    })
  }
  if (databaseFolder !== undefined) {
    const look: Watch['look'] = (_database, accountId) =>
      lookAtDisk({ accountId, scope, folder: databaseFolder, bound: diskPercent })
    watches.push({ kinds: ['disk_low'], scope, look })
  }
  if (certificateFiles.length > 0) {
    const look: Watch['look'] = async (_database, accountId) =>
      (
        await Promise.all(
          certificateFiles.map((file) => lookAtCertificate({ accountId, scope, file, bound: expiryDays }))
        )
      ).flat()
    watches.push({ kinds: ['certificate_expires'], scope, look })
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
  scope,
  folder,
  bound
}: {
  accountId: number
  scope: string
  folder: string
  bound: number
}): Promise<Trouble[]> {
  const { bavail, blocks } = await statfs(folder)
  const value = (bavail / blocks) * 100
  if (value >= bound) return []
  return [{ accountId, kind: 'disk_low', subject: `${scope}${folder}`, name: folder, value: rounded(value), bound }]
}

async function lookAtCertificate({
  accountId,
  scope,
  file,
  bound
}: {
  accountId: number
  scope: string
  file: string
  bound: number
}): Promise<Trouble[]> {
  const { validToDate } = new X509Certificate(await readFile(file))
  const days = Math.floor((validToDate.getTime() - databaseNowMs()) / DAY_MS)
  if (days >= bound) return []
  const subject = `${scope}${file}`
  return [{ accountId, kind: 'certificate_expires', subject, name: file, value: days, bound }]
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
