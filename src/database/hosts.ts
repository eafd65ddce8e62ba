import type { Server } from './connection.ts'

/** The hosts that a PostgreSQL URL names, with their ports; undefined if it is no such URL. */
export function hostsOf(url: string): string[] | undefined {
  const urls = urlsOf(url)
  return urls && partsOf(url)?.hosts.split(',')
}

/** One server of a URL. */
export interface SingleHost {
  /** The host, with its port if the URL names one. */
  name: string
  url: string
}

/** A URL for each host that a URL names; undefined if it is no such URL. */
export function urlsByHost(url: string): SingleHost[] | undefined {
  const urls = urlsOf(url)
  const parts = partsOf(url)
  if (!urls || !parts) return undefined
  return parts.hosts.split(',').map((name) => ({ name, url: `${parts.before}${name}${parts.after}` }))
}

/** How to reach each of the servers that a URL names. */
export function serversOf(url: string): Server[] {
  const urls = urlsOf(url)
  if (!urls) throw new Error('The address of the database is no PostgreSQL URL.')
  return urls.map(toServer)
}

/** Of several hosts, each is looked at as the only one: a URL as such has only one. */
function urlsOf(text: string): URL[] | undefined {
  const parts = partsOf(text)
  if (!parts) return undefined
  const urls = parts.hosts.split(',').map((host) => host !== '' && toUrl(`${parts.before}${host}${parts.after}`))
  return urls.every((url) => url instanceof URL) ? urls : undefined
}

function partsOf(url: string): { before: string; hosts: string; after: string } | undefined {
  const [, before, hosts, after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s.exec(url) ?? []
  return before === undefined || hosts === undefined ? undefined : { before, hosts, after }
}

function toUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  if (!url) return undefined
  try {
    for (const part of [url.hostname, url.username, url.password, url.pathname]) decodeURIComponent(part)
    return url
  } catch {
    return undefined // A percent sign that encodes nothing.
  }
}

/** Parameters of a URL that are not settings of the session. */
const NOT_SETTINGS = new Set(['ssl', 'sslmode', 'sslrootcert', 'options', 'connect_timeout', 'target_session_attrs'])
/** As in libpq, these modes encrypt, and do not ask who the server is. */
const UNVERIFIED_MODES = new Set(['require', 'prefer', 'allow'])

function toServer(url: URL): Server {
  const parameters = new Map(url.searchParams)
  const settings = [...parameters].filter(([name]) => !NOT_SETTINGS.has(name))
  const name = url.pathname.slice(1)
  return {
    host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    ...(url.username && { user: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(name && { database: decodeURIComponent(name) }),
    options: [parameters.get('options'), toOptions(settings)].filter(Boolean).join(' '),
    ...toTls(parameters)
  }
}

function toTls(parameters: ReadonlyMap<string, string>): Pick<Server, 'ssl' | 'isPlainAllowed'> {
  const mode = parameters.get('sslmode') ?? parameters.get('ssl')
  // As in libpq: to trust the system's authorities makes sense only for verifying.
  if (parameters.get('sslrootcert') === 'system') return { ssl: true }
  if (mode === undefined || mode === 'disable' || mode === 'false') return { ssl: false }
  return { ssl: { rejectUnauthorized: !UNVERIFIED_MODES.has(mode) }, isPlainAllowed: mode === 'prefer' }
}

/** Settings of a session as `-c name=value …`, which PostgreSQL splits at spaces. */
export function toOptions(settings: Iterable<readonly [name: string, value: string | number]>): string {
  return Array.from(settings, ([name, value]) => `-c ${name}=${String(value).replaceAll(/[\\\s]/g, '\\$&')}`).join(' ')
}
