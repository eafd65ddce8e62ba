import { registerHooks } from 'node:module'

/*
 * The reference of `bench:access`: a Chappe that imports this file first runs the same code, except that no permission is
 * checked and no entry of the audit trail is written. The changes are made while the files are loaded: the service
 * itself has no such switch.
 */

/** For each file, a text in it and its replacement. */
const REPLACED: Record<string, [from: string, to: string]> = {
  'src/http/permission.ts': [
    "if (permission === 'any' || caller.permissions.has(permission)) return undefined",
    'if (permission) return undefined'
  ],
  'src/sends/message-rows.ts': ['return author ? [{ author, accountId, messageId }] : []', 'return []']
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const [file, change] = Object.entries(REPLACED).find(([file]) => url.endsWith(`/${file}`)) ?? []
    if (!change) return loaded
    const source = String(loaded.source)
    if (!source.includes(change[0])) throw new Error(`bench/without-access.ts finds nothing to replace in ${file}`)
    return { ...loaded, source: source.replace(...change) }
  }
})
