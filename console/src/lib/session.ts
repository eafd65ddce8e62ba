import { createStore } from './store.ts'

/*
 * Who is logged in, for as long as the tab lives: the token is in the tab's session storage and nowhere else. It is left out of
 * local storage on purpose, where it would outlive the person at the desk.
 */

const KEY = 'chappe.session'
const TIMER_MS_MAX = 2 ** 31 - 1

export interface Session {
  token: string
  expiresAt: number
}

/** Why nobody is logged in: never was, has logged out, or the time was over. */
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

/** Who logs out at one desk does so in all of its tabs; those of other accounts stay. */
export function logOut(): void {
  otherTabs.postMessage(readAccount())
  change(undefined, 'logged-out')
}

/** A token was refused. That ends the session unless it is another's by now, or a new one is on its way. */
export function refuseToken(token: string): void {
  if (token === readToken() && renewals === 0) change(undefined, 'expired')
}

/** What ends every token, ours too, and brings another: nobody is thrown out in between. */
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
 * Runs `act` when somebody logs out, while the token is still there: the service ends the token, and data that outlives
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
  // Timers know no later than in 24 days, and a token may live for a year.
  if (leftMs > TIMER_MS_MAX) timer = setTimeout(watchExpiry, TIMER_MS_MAX)
  else timer = setTimeout(() => change(undefined, 'expired'), leftMs)
}

/** Whose token it is, which its middle part says. */
function readAccount(): unknown {
  try {
    const claims = readToken()?.split('.')[1] ?? ''
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub
  } catch {
    return undefined // Then it is nobody's whom we could tell.
  }
}

function stored(): Session | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return value?.expiresAt > Date.now() ? value : undefined
  } catch {
    return undefined // Whatever lies there is not ours: then nobody is logged in.
  }
}
