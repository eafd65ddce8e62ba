import { createStore } from './store.ts'

/*
 * Who is logged in, for as long as the tab lives: the token is in the tab's session storage and nowhere else. It is left out of
 * local storage on purpose, where it would outlive the person at the desk.
 */

const KEY = 'chappe.session'

export interface Session {
  token: string
  expiresAt: number
}

/** Why nobody is logged in: never was, has logged out, or the time was over. */
export type Ending = 'none' | 'logged-out' | 'expired'

const session = createStore(stored())
let ending: Ending = 'none'
let timer: ReturnType<typeof setTimeout> | undefined
watchExpiry()

export function startSession({ token, expiresIn }: { token: string; expiresIn: number }): void {
  change({ token, expiresAt: Date.now() + expiresIn * 1000 }, 'none')
}

export function endSession(why: Ending): void {
  if (session.read()) change(undefined, why)
}

export const readToken = (): string | undefined => session.read()?.token
export const readEnding = (): Ending => ending

export const useSession = session.use

function change(next: Session | undefined, why: Ending): void {
  ending = why
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next))
  else sessionStorage.removeItem(KEY)
  session.change(next)
  watchExpiry()
}

function watchExpiry(): void {
  clearTimeout(timer)
  const now = session.read()
  if (now) timer = setTimeout(() => endSession('expired'), Math.min(now.expiresAt - Date.now(), 2 ** 31 - 1))
}

function stored(): Session | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return value?.expiresAt > Date.now() ? value : undefined
  } catch {
    return undefined // Whatever lies there is not ours: then nobody is logged in.
  }
}
