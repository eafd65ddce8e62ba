import { createStore } from './store.ts'

/*
 * The session of a tab: the token is in the session storage of each tab and nowhere else. Local storage would keep it after the
 * person has left the desk. A new tab asks the others for their session, so the token is gone when the last of them closes.
 */

const KEY = 'chappe.session'
/** Until when some tab may have a session: without it, a new tab need not ask. No secret. */
const HINT_KEY = 'chappe.session.until'
/** The person's own session, while this tab looks at an account below. */
const OWN_KEY = 'chappe.viewer'
const TIMER_MS_MAX = 2 ** 31 - 1
/** How long a new tab waits for an answer before it shows the log-in. A later answer still counts. */
const ANSWER_MS_MAX = 1_000
/** After the first answer, for those of other tabs. */
const MORE_ANSWERS_MS = 30

export interface Session {
  token: string
  expiresAt: number
  /** The log-in that it goes back to, also after a switch to another account. */
  family?: string | undefined
}

/** Why there is no session: there was none, a log-out, or an expired token. */
export type Ending = 'none' | 'logged-out' | 'expired'

export interface LogOut {
  /** Whether another tab with the same token ends it. */
  isTokenEnded: boolean
}

type Message =
  | { kind: 'ask' }
  /** `seenAt` is when somebody last looked at the tab that answers. */
  | { kind: 'answer'; session: Session; seenAt: number }
  | { kind: 'log-out'; token: string | undefined; account: unknown; family: string | undefined }

const session = createStore(stored())
let ending: Ending = 'none'
let timer: ReturnType<typeof setTimeout> | undefined
let renewals = 0
let hiddenAt = Date.now()
let onAnswer: (answer: { session: Session; seenAt: number }) => void = () => undefined
const leaving = new Set<(end: LogOut) => void>()
const otherTabs = new BroadcastChannel(KEY)
otherTabs.onmessage = ({ data }: MessageEvent<Message>) => {
  const own = session.read()
  if (data.kind === 'ask' && own) {
    const seenAt = document.visibilityState === 'visible' ? Date.now() : hiddenAt
    // A new tab works as the person, and does not look on.
    tell({ kind: 'answer', session: readOwn()?.session ?? own, seenAt })
  }
  if (data.kind === 'answer') onAnswer(data)
  if (data.kind === 'log-out' && own) {
    const isSame = data.account === readAccount() || (data.family !== undefined && data.family === own.family)
    if (isSame) change(undefined, 'logged-out', { isTokenEnded: data.token === own.token })
    else hint(own)
  }
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hiddenAt = Date.now()
})
watchExpiry()

/** Resolves when it is known whether another tab is logged in. */
export const sessionFound: Promise<void> = session.read() ? Promise.resolve() : askOtherTabs()

export interface LoginAnswer {
  token: string
  expiresIn: number
}

export function startSession({ token, expiresIn }: LoginAnswer, family: string = crypto.randomUUID()): void {
  change({ token, expiresAt: Date.now() + expiresIn * 1000, family }, 'none')
}

/** Goes on with another account. The page loads anew: nothing of the account before may be left. */
export function switchSession(answer: LoginAnswer, { isSamePerson }: { isSamePerson: boolean }): void {
  startSession(answer, isSamePerson ? session.read()?.family : undefined)
  location.assign('/app/')
}

/** A log-out ends the sessions of the account in all tabs, and those that were switched; other people stay logged in. */
export function logOut(): void {
  tell({ kind: 'log-out', token: readToken(), account: readAccount(), family: session.read()?.family })
  change(undefined, 'logged-out')
  const own = takeOwn()
  if (!own) return
  // Nothing of the person may stay behind in the tab.
  change(own.session, 'none')
  logOut()
}

/** Looks at an account below in this tab. The page loads anew, as after a switch. */
export function beginView(answer: LoginAnswer): void {
  const own = session.read()
  if (own) sessionStorage.setItem(OWN_KEY, JSON.stringify({ session: own, path: location.pathname }))
  startSession(answer)
  location.assign('/app/')
}

/** Goes back to the person's own session, and to the page where the view began. */
export function endView(): void {
  const own = takeOwn()
  change(own?.session, 'none')
  location.assign(own?.path ?? '/app/')
}

/** A token was refused. That ends the session, unless the session has another token by now or is about to get one. */
export function refuseToken(token: string): void {
  if (token === readToken() && renewals === 0) change(undefined, 'expired')
}

/** Runs an act that ends every token, ours too, and brings a new one: the session stays in between. */
export async function renewSession(renew: () => Promise<LoginAnswer>): Promise<void> {
  renewals++
  try {
    const answer = await renew()
    startSession(answer, session.read()?.family)
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
export function onLogOut(act: (end: LogOut) => void): void {
  leaving.add(act)
}

function change(next: Session | undefined, why: Ending, end: LogOut = { isTokenEnded: false }): void {
  // A view that is over leads back; the person did not log out.
  if (!next && why === 'expired' && readOwn()) {
    endView()
    return
  }
  ending = why
  if (why === 'logged-out') {
    for (const act of leaving) act(end)
    localStorage.removeItem(HINT_KEY)
  }
  if (next) keep(next)
  else sessionStorage.removeItem(KEY)
  session.change(next)
  watchExpiry()
}

interface Own {
  session: Session
  path: string
}

function readOwn(): Own | undefined {
  try {
    const own = JSON.parse(sessionStorage.getItem(OWN_KEY) ?? 'null')
    return own?.session.expiresAt > Date.now() ? own : undefined
  } catch {
    return undefined // The stored text is not ours: there is no session to go back to.
  }
}

function takeOwn(): Own | undefined {
  const own = readOwn()
  sessionStorage.removeItem(OWN_KEY)
  return own
}

function keep(next: Session): void {
  sessionStorage.setItem(KEY, JSON.stringify(next))
  hint(next)
}

function hint({ expiresAt }: Session): void {
  localStorage.setItem(HINT_KEY, String(expiresAt))
}

/** Takes the session of the tab that somebody looked at last. */
async function askOtherTabs(): Promise<void> {
  if (!(Number(localStorage.getItem(HINT_KEY)) > Date.now())) return
  const { promise, resolve } = Promise.withResolvers<void>()
  let best: { session: Session; seenAt: number } | undefined
  const adopt = () => {
    // Somebody may have logged in or out here meanwhile.
    if (best && !session.read() && ending === 'none' && best.session.expiresAt > Date.now())
      change(best.session, 'none')
    resolve()
  }
  onAnswer = (answer) => {
    if (!best) setTimeout(adopt, MORE_ANSWERS_MS)
    if (!best || answer.seenAt > best.seenAt) best = answer
  }
  setTimeout(resolve, ANSWER_MS_MAX)
  tell({ kind: 'ask' })
  return promise
}

function tell(message: Message): void {
  otherTabs.postMessage(message)
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
