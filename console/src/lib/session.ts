import { createStore } from './store.ts'

/*
 * The session of a tab: the token is in the session storage of the tab and nowhere else. Local storage would keep it after the
 * person has left the desk.
 */

const KEY = 'chappe.session'
const TIMER_MS_MAX = 2 ** 31 - 1

export interface Session {
  token: string
  expiresAt: number
}

/** Why there is no session: there was none, a log-out, or an expired token. */
export type Ending = 'none' | 'logged-out' | 'expired'

const session = createStore(stored())
let ending: Ending = 'none'
let timer: ReturnType<typeof setTimeout> | undefined
let renewals = 0
const leaving = new Set<() => void>()
const otherTabs = new BroadcastChannel(KEY)
otherTabs.onmessage = ({ data: account }) => {
  if (session.read() && account === readAccount()) change(undefined, 'logged-out')
}
watchExpiry()

export function startSession({ token, expiresIn }: { token: string; expiresIn: number }): void {
  change({ token, expiresAt: Date.now() + expiresIn * 1000 }, 'none')
}

/** A log-out ends the sessions of the account in all tabs; other accounts stay logged in. */
export function logOut(): void {
  otherTabs.postMessage(readAccount())
  change(undefined, 'logged-out')
}

/** A token was refused. That ends the session, unless the session has another token by now or is about to get one. */
export function refuseToken(token: string): void {
  if (token === readToken() && renewals === 0) change(undefined, 'expired')
}

/** Runs an act that ends every token, ours too, and brings a new one: the session stays in between. */
export async function renewSession(renew: () => Promise<{ token: string; expiresIn: number }>): Promise<void> {
  renewals++
  try {
    startSession(await renew())
  } finally {
    renewals--
  }
}

export const readToken = (): string | undefined => session.read()?.token
export const readEnding = (): Ending => ending

export const useSession = session.use

/**
 * Runs `act` at a log-out, while the token is still there: the service ends the token, and data that outlives
 * an expired session is forgotten.
 */
export function onLogOut(act: () => void): void {
  leaving.add(act)
}

function change(next: Session | undefined, why: Ending): void {
  ending = why
  if (why === 'logged-out') for (const act of leaving) act()
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next))
  else sessionStorage.removeItem(KEY)
  session.change(next)
  watchExpiry()
}

function watchExpiry(): void {
  clearTimeout(timer)
  const now = session.read()
  if (!now) return
  const leftMs = now.expiresAt - Date.now()
  // A timer lasts 24 days at most, and a token may live for a year.
  if (leftMs > TIMER_MS_MAX) timer = setTimeout(watchExpiry, TIMER_MS_MAX)
  else timer = setTimeout(() => change(undefined, 'expired'), leftMs)
}

/** The account of a token, from its middle part. */
function readAccount(): unknown {
  try {
    const claims = readToken()?.split('.')[1] ?? ''
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub
  } catch {
    return undefined // A token that cannot be read has no account.
  }
}

function stored(): Session | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return value?.expiresAt > Date.now() ? value : undefined
  } catch {
    return undefined // The stored text is not ours: there is no session.
  }
}
