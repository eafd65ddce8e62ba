import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Client, type ClientOptions, createClient } from '../client.ts'
import { type Io, NotLoggedIn, UsageError } from './io.ts'

/** What `chappe login` keeps. */
export interface Credentials {
  url: string
  apiKey?: string
  token?: string
}

type Env = Io['env']

export function credentialsFile(env: Env): string {
  return join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'chappe', 'credentials.json')
}

/** Only the owner may read the file. It is replaced as a whole, so that a crash leaves the old one or the new one. */
export async function storeCredentials(env: Env, credentials: Credentials): Promise<string> {
  const file = credentialsFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
  return file
}

export async function removeCredentials(env: Env): Promise<void> {
  await rm(credentialsFile(env), { force: true })
}

/** The environment goes before the file: a program brings its own key. */
export async function readCredentials(env: Env): Promise<Credentials> {
  const stored = await readStored(env)
  const url = env.CHAPPE_URL ?? stored?.url
  if (env.CHAPPE_API_KEY) return { url: url ?? DEFAULT_URL, apiKey: env.CHAPPE_API_KEY }
  if (!stored) throw new NotLoggedIn('You are not logged in: run `chappe login`, or set CHAPPE_URL and CHAPPE_API_KEY.')
  return { ...stored, url: url ?? stored.url }
}

export const DEFAULT_URL = 'http://127.0.0.1:3000'

async function readStored(env: Env): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(credentialsFile(env), 'utf8')) as Credentials
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function connect(env: Env, options: Partial<ClientOptions> = {}): Promise<Client> {
  return createClient({ ...(await readCredentials(env)), retries: retriesOf(env), ...options })
}

function retriesOf({ CHAPPE_RETRIES: text }: Env): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,3}$/.test(text)) throw new UsageError(`CHAPPE_RETRIES must be a number, such as 4, not ${text}`)
  return Number(text)
}
