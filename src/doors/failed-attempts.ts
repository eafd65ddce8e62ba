import { networkOf } from '../http/networks.ts'

/*
 * Wrong passwords, counted by this process for a minute. By user name and network together: a stranger elsewhere can't
 * lock a customer out. By network as well, for those who try many user names.
 */

const MINUTE_MS = 60_000
const BY_USER_MAX = 10
const BY_NETWORK_MAX = 100
const SUBJECTS_MAX = 20_000

export interface FailedAttempts {
  isRefused(attempt: Attempt): boolean
  count(attempt: Attempt): void
}

interface Attempt {
  username: string
  address: string
}

export function createFailedAttempts(nowMs: () => number = () => performance.now()): FailedAttempts {
  const counts = new Map<string, number>()
  let sinceMs = nowMs()

  function countOf(subject: string): number {
    if (nowMs() - sinceMs >= MINUTE_MS || counts.size >= SUBJECTS_MAX) {
      counts.clear()
      sinceMs = nowMs()
    }
    return counts.get(subject) ?? 0
  }

  return {
    isRefused: (attempt) => countOf(byUser(attempt)) >= BY_USER_MAX || countOf(byNetwork(attempt)) >= BY_NETWORK_MAX,
    count(attempt) {
      for (const subject of [byUser(attempt), byNetwork(attempt)]) counts.set(subject, countOf(subject) + 1)
    }
  }
}

const USERNAME_LENGTH_MAX = 128

function byUser({ username, address }: Attempt): string {
  return `${networkOf(address)} ${username.slice(0, USERNAME_LENGTH_MAX)}`
}

function byNetwork({ address }: Attempt): string {
  return networkOf(address)
}
