/** Which accounts may write as which agents of RCS. */
export interface AgentRules {
  readonly isAnyRestricted: boolean
  /** Whether only the accounts that it was granted to may use this agent. */
  isRestricted(agentId: string): boolean
  mayUse(agentId: string, accountId: number): boolean
}

/** Everybody may use every agent. */
export const FREE_AGENTS: AgentRules = { isAnyRestricted: false, isRestricted: () => false, mayUse: () => true }
