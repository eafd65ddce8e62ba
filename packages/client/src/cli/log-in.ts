import { createClient } from '../client.ts'
import { login } from '../login.ts'
import { type Command, textOf } from './command.ts'
import { connect, DEFAULT_URL, removeCredentials, storeCredentials } from './credentials.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { formOf, printRecord } from './output.ts'

export const logIn: Command = {
  usage: 'login [--url URL] [--email EMAIL | --api-key KEY] [--password-stdin]',
  summary: 'Keep a token or a key for the other commands',
  options: {
    url: { type: 'string' },
    email: { type: 'string' },
    'api-key': { type: 'string' },
    code: { type: 'string' },
    'password-stdin': { type: 'boolean' }
  },
  async run({ given }, io) {
    const url = textOf(given.url) ?? io.env.CHAPPE_URL ?? DEFAULT_URL
    const apiKey = textOf(given['api-key']) ?? (given.email ? undefined : io.env.CHAPPE_API_KEY)
    const credentials = apiKey ? { url, apiKey } : { url, ...(await readToken(url, given, io)) }
    const me = await createClient(credentials).call('GET /users/me')
    const file = await storeCredentials(io.env, credentials)
    if (formOf(given) === 'json') printRecord(io, { url, account: me.id, email: me.email, file }, 'json')
    else io.out(`Logged in at ${url} as ${me.email}.\n`)
    return EXIT.done
  }
}

async function readToken(url: string, given: Parameters<Command['run']>[0]['given'], io: Io) {
  const email = textOf(given.email) ?? (await io.ask?.('Email: '))
  if (email === undefined) throw new UsageError('login needs --email or --api-key where there is no terminal')
  const isPiped = given['password-stdin'] === true
  const password = isPiped
    ? (await io.readInput()).replace(/\r?\n$/, '')
    : await io.ask?.('Password: ', { isHidden: true })
  if (password === undefined) throw new UsageError('login needs --password-stdin where there is no terminal')
  const code = textOf(given.code)
  const { token } = await login({ url, email, password, ...(code !== undefined && { code }) })
  return { token }
}

export const logOut: Command = {
  usage: 'logout',
  summary: 'Forget the token or the key',
  async run({ given }, io) {
    await removeCredentials(io.env)
    if (formOf(given) === 'json') printRecord(io, { success: true }, 'json')
    else io.out('Logged out.\n')
    return EXIT.done
  }
}

export const whoAmI: Command = {
  usage: 'whoami',
  summary: 'The account, and its credits',
  async run({ given }, io) {
    const client = await connect(io.env)
    const { id, email, social_reason, role } = await client.call('GET /users/me')
    const credits = await client.call('GET /users/credits')
    const balances = Object.fromEntries(
      credits.map(({ label, credits }) => [`credits_${label.toLowerCase()}`, credits])
    )
    printRecord(io, { id, email, social_reason, role, ...balances }, formOf(given))
    return EXIT.done
  }
}
