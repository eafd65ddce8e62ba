/** Why a log-in at the OpenID provider did not work. */
export type SignOnProblem = 'busy' | 'denied' | 'expired' | 'failed'

const PROBLEMS: readonly string[] = ['busy', 'denied', 'expired', 'failed'] satisfies SignOnProblem[]

/** The ticket that single sign-on came back with. It leaves the address at once: it must not stay in the history. */
export function readSignOn(): { ticket: string | undefined; problem: SignOnProblem | undefined } {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [ticket, problem] = [fragment.get('sign_on'), fragment.get('sign_on_problem')]
  if (ticket !== null || problem !== null) {
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return {
    ticket: ticket ?? undefined,
    problem: problem !== null && PROBLEMS.includes(problem) ? (problem as SignOnProblem) : undefined
  }
}
