import type { IncomingHttpHeaders } from 'node:http'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller, ShownToken } from '../http/caller.ts'
import { isEqualSecret } from '../http/equal-secrets.ts'
import { ACCOUNTS_CHANGED, type CallerRow, findCallerByKey, findCallerByToken } from './accounts.store.ts'
import { hashApiKey } from './api-key.ts'
import type { Tokens } from './tokens.ts'

/*
 * Finds the account of a request's credentials, without a query per request. An account is remembered for a few seconds.
 * NOTIFY tells every process of a change at once; the few seconds hold when a notice is lost.
 */

const FRESH_MS = 5_000
const REMEMBERED_MAX = 10_000

export interface Callers {
  authenticate(headers: IncomingHttpHeaders): Caller | Promise<Caller>
  /** The account of a key as it was last read, without a query. It proves nothing: only `authenticate` does. */
  recall(headers: IncomingHttpHeaders): Caller | undefined
  /** Forgets an account: the next request reads it again. */
  forget(accountId: number): void
}

interface Remembered {
  row: Known
  freshUntil: number
}

/** A row with its caller, which is made once and shared by all requests of the account. */
interface Known extends CallerRow {
  caller: Caller
}

export async function createCallers(pool: Pool, tokens: Tokens): Promise<Callers> {
  const remembered = new Map<string, Remembered>()
  // A row that was read before a change must not be remembered after it.
  let changes = 0

  function forget(accountId: number): void {
    changes++
    for (const [key, { row }] of remembered) if (row.id === accountId) remembered.delete(key)
  }
  await pool.listen(
    ACCOUNTS_CHANGED,
    (payload) => forget(Number(payload)),
    () => {
      changes++
      remembered.clear()
    }
  )

  function recall(key: string): Known | undefined {
    const found = remembered.get(key)
    return found && found.freshUntil > Date.now() ? found.row : undefined
  }

  async function look(
    key: string,
    token: ShownToken | null,
    find: () => Promise<CallerRow | undefined>
  ): Promise<Known | undefined> {
    const changesBefore = changes
    const found = await find()
    const row = found && { ...found, caller: toCaller(found, token) }
    if (row && changes === changesBefore) {
      remembered.delete(key)
      remembered.set(key, { row, freshUntil: Date.now() + FRESH_MS })
      if (remembered.size > REMEMBERED_MAX) {
        const [oldest = key] = remembered.keys()
        remembered.delete(oldest)
      }
    }
    return row
  }

  function byKey(apiKey: string, appId: string | undefined): Caller | Promise<Caller> {
    const key = `key ${apiKey}`
    // A client in the field sends its key in both headers.
    const check = (row: Known | undefined) => {
      if (!row || !(appId === undefined || isEqualSecret(appId, row.appId) || isEqualSecret(appId, apiKey)))
        throw unauthorized()
      return row.caller
    }
    const known = recall(key)
    return known ? check(known) : look(key, null, () => findCallerByKey(pool, hashApiKey(apiKey))).then(check)
  }

  async function byToken(token: string): Promise<Caller> {
    const claims = await tokens.verify(token)
    if (!claims) throw unauthorized()
    const { accountId, id, expiresAt } = claims
    const key = `token ${accountId} ${id}`
    const find = () => findCallerByToken(pool, { accountId, tokenId: id })
    const row = recall(key) ?? (await look(key, { id, expiresAt }, find))
    if (!row || row.tokenVersion !== claims.version) throw unauthorized()
    return row.caller
  }

  return {
    forget,
    recall: ({ 'x-api-key': apiKey }) => remembered.get(`key ${apiKey}`)?.row.caller,
    authenticate(headers) {
      const apiKey = headers['x-api-key']
      const appId = headers['x-app-id']
      if (typeof apiKey === 'string' && apiKey !== '')
        return byKey(apiKey, typeof appId === 'string' && appId !== '' ? appId : undefined)
      const token = /^(?:Bearer +)?(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (token) return byToken(token)
      throw unauthorized()
    }
  }
}

function toCaller({ id, appId: _appId, tokenVersion: _version, ...row }: CallerRow, token: ShownToken | null): Caller {
  return { accountId: id, topLevelId: row.parentId ?? id, token, ...row }
}

function unauthorized(): Refusal {
  return new Refusal(401, 'unauthorized', 'The credentials are missing or wrong.')
}
