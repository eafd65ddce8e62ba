import { checkCountrySender } from '../compliance/country-rules.ts'
import {
  SENDER_MODES,
  type SenderDoubt,
  type SenderMode,
  type SenderRegister,
  type SenderUse
} from '../compliance/sender-register.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import {
  type AccountModes,
  findRegisterVersion,
  listNumberGrants,
  listRegisteredSenders,
  listSenderModes,
  type NumberGrant,
  type RegisteredSender,
  SENDERS_CHANGED
} from './register.store.ts'
import { isNumberKey, senderKey } from './sender-key.ts'

/*
 * The register in the memory of each process: sends and submits look here without a query. NOTIFY tells of a change at
 * once. The version is also read twice a second, so that a lost notice costs no more.
 */

const READ_PAUSE_MS = 500

type Modes = Pick<AccountModes, 'byOperator' | 'byParent'>

export interface SenderRegisterReader extends SenderRegister, Pick<RunningWorker, 'name' | 'stop'> {
  /** The mode that binds an account. */
  modeOf(account: { id: number; parentId: number | null }): SenderMode
  /** The same, as if the account had these modes of its own. */
  modeWith(account: { id: number; parentId: number | null }, own: Modes): SenderMode
  /** The register may have changed. */
  wake(): void
}

export async function readSenderRegister(
  pool: Pool,
  { mode, log }: { mode: SenderMode; log: Log }
): Promise<SenderRegisterReader> {
  let version = 0
  let contents = new RegisterContents({ mode, senders: [], grants: [], modes: [] })

  async function read(): Promise<void> {
    const found = await findRegisterVersion(pool)
    if (found === version) return
    const [senders, grants, modes] = await Promise.all([
      listRegisteredSenders(pool),
      listNumberGrants(pool),
      listSenderModes(pool)
    ])
    contents = new RegisterContents({ mode, senders, grants, modes })
    // What was read may be newer than this; then the next look finds a higher version.
    version = found
  }

  await read()
  const worker = startWorker({
    name: 'reading the sender register',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    log
  })
  await pool.listen(SENDERS_CHANGED, worker.wake, worker.wake)
  return {
    name: worker.name,
    get isOpen() {
      return contents.isOpen
    },
    judge: (use) => contents.judge(use),
    isDisabled: (accountId, name) => contents.isDisabled(accountId, name),
    modeOf: ({ id, parentId }) => contents.modeOf(id, parentId),
    modeWith: ({ id, parentId }, own) => contents.modeOf(id, parentId, own),
    wake: worker.wake,
    stop: worker.stop
  }
}

interface Contents {
  /** The mode of accounts that have none of their own. */
  mode: SenderMode
  senders: readonly RegisteredSender[]
  grants: readonly NumberGrant[]
  modes: readonly AccountModes[]
}

/** The register as it was read at one moment. */
export class RegisterContents {
  readonly isOpen: boolean
  readonly #mode: SenderMode
  readonly #approved = new Map<string, RegisteredSender>()
  readonly #disabled = new Map<string, RegisteredSender>()
  readonly #grants = new Map<string, Set<number>>()
  readonly #modes: ReadonlyMap<number, AccountModes>

  constructor({ mode, senders, grants, modes }: Contents) {
    this.#mode = mode
    for (const sender of senders) {
      const senders = sender.state === 'approved' ? this.#approved : this.#disabled
      senders.set(`${sender.accountId} ${sender.nameKey}`, sender)
    }
    for (const { number, accountId } of grants) {
      const accountIds = this.#grants.get(number) ?? new Set()
      this.#grants.set(number, accountIds.add(accountId))
    }
    this.#modes = new Map(modes.map((one) => [one.accountId, one]))
    this.isOpen = mode === 'open' && modes.length === 0 && grants.length === 0 && this.#disabled.size === 0
  }

  isDisabled(accountId: number, name: string): boolean {
    return this.#disabled.size > 0 && this.#disabled.has(`${accountId} ${senderKey(name)}`)
  }

  /** The operator's word on an account counts alone. Else the stricter of the account above and its word. */
  modeOf(accountId: number, parentId: number | null, own: Modes | undefined = this.#modes.get(accountId)): SenderMode {
    if (own?.byOperator) return own.byOperator
    const above = parentId === null ? this.#mode : this.modeOf(parentId, null)
    return stricter(above, own?.byParent ?? 'open')
  }

  judge(use: SenderUse): SenderDoubt | undefined {
    const { accountId, parentId, name } = use
    const key = senderKey(name)
    const disabled = this.#disabled.get(`${accountId} ${key}`)
    if (disabled) return refused(`The sender ${name} is disabled: ${disabled.reason}`)
    const holders = this.#grants.get(key)
    if (holders && !holders.has(accountId) && !(parentId !== null && holders.has(parentId))) {
      return refused(
        `The number ${name} is granted to other accounts: ask the operator for it, or take another sender.`
      )
    }
    const mode = this.modeOf(accountId, parentId)
    if (mode === 'open') return undefined
    const problem = checkCountrySender(name, use)
    const sentence = problem === undefined ? this.#findUnapproved(use, key) : `The sender ${name} ${problem}.`
    return sentence === undefined ? undefined : { isRefused: mode === 'enforce', sentence }
  }

  /** Numbers need no approval: grants say whose they are. */
  #findUnapproved({ accountId, name, country, category }: SenderUse, key: string): string | undefined {
    if (isNumberKey(key)) return undefined
    const approved = this.#approved.get(`${accountId} ${key}`)
    if (!approved) {
      return `The sender ${name} is not approved for this account: declare it under Senders, or with POST /senders.`
    }
    const { countries, use } = approved
    if (countries.length > 0 && !countries.includes(country)) {
      return `The sender ${name} is not approved for ${country}, only for ${countries.join(', ')}.`
    }
    if (category !== undefined && use !== 'any' && use !== category) {
      return `The sender ${name} is approved for ${use} messages only, and this is a ${category} one.`
    }
    return undefined
  }
}

function refused(sentence: string): SenderDoubt {
  return { isRefused: true, sentence }
}

function stricter(one: SenderMode, other: SenderMode): SenderMode {
  return SENDER_MODES.indexOf(one) >= SENDER_MODES.indexOf(other) ? one : other
}
