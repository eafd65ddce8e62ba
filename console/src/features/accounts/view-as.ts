import { type Session, startSession, useSession } from '../../lib/session.ts'

/* A person from above looks at an account in this tab, and comes back to their own session afterwards. */

const KEY = 'chappe.viewer'

export function beginView(own: Session | undefined, view: { token: string; expiresIn: number }): void {
  if (own) sessionStorage.setItem(KEY, JSON.stringify(own))
  startSession(view)
  window.location.assign('/app/')
}

export function endView(): void {
  const own = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null
  sessionStorage.removeItem(KEY)
  if (own) startSession({ token: own.token, expiresIn: Math.max(1, (own.expiresAt - Date.now()) / 1000) })
  window.location.assign('/app/')
}

export const useOwnSession = useSession
