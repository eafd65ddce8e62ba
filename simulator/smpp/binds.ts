import { STATUSES, statusName, TLV_TAGS } from '../../src/smpp/commands.ts'
import { type BindPdu, NO_TLVS } from '../../src/smpp/pdu.ts'
import type { Delays } from '../delays.ts'
import type { FaultState } from './fault-state.ts'
import type { SmscSession } from './smsc-session.ts'
import type { SmscStats } from './stats.ts'
import { SystemAccount } from './system-account.ts'

const OWN_SYSTEM_ID = 'sandbox'
/** SMPP 3.4, paragraphs 4.1.2 and 5.2.4: the version is 3.4. */
const VERSION_TLVS = new Map([[TLV_TAGS.sc_interface_version, Buffer.of(0x34)]])

interface BindParts {
  faults: FaultState
  delays: Delays
  stats: SmscStats
  systemIds: Readonly<Record<string, string>> | undefined
  log: (line: string) => void
}

/** Checks binds, and knows the bound sessions. */
export class Binds {
  readonly #accounts = new Map<string, SystemAccount>()
  readonly #parts: BindParts

  constructor(parts: BindParts) {
    this.#parts = parts
  }

  get sessionCount(): number {
    return this.#sum((account) => account.sessions.size)
  }

  get waitingCount(): number {
    return this.#sum((account) => account.waitingCount)
  }

  bind(session: SmscSession, pdu: BindPdu): void {
    const { stats, log } = this.#parts
    const status = this.#check(session, pdu)
    session.write({
      command: `${pdu.command}_resp`,
      status,
      sequence: pdu.sequence,
      systemId: status === STATUSES.ESME_ROK ? OWN_SYSTEM_ID : '',
      tlvs: status === STATUSES.ESME_ROK ? VERSION_TLVS : NO_TLVS
    })
    log(`${pdu.command} of ${pdu.systemId}: ${statusName(status)}`)
    if (status !== STATUSES.ESME_ROK) {
      stats.bindsRefused++
      return
    }
    stats.binds++
    session.canSubmit = pdu.command !== 'bind_receiver'
    session.canReceive = pdu.command !== 'bind_transmitter'
    this.#accountOf(pdu.systemId).join(session)
  }

  /** The link is lost. Without an unbind before, its session may still count as bound for a while. */
  lose(session: SmscSession): void {
    const { account } = session
    if (!account) return
    account.ghostUntil = performance.now() + this.#parts.faults.conduct.ghostMs
    account.leave(session)
    this.#parts.log(`link of ${account.systemId} lost`)
  }

  /** Finds a client for a reply that is for no client in particular. It prefers a client that is bound now. */
  findReceiver(): SystemAccount | undefined {
    const accounts = [...this.#accounts.values()]
    return accounts.find((account) => account.hasReceiver) ?? accounts[0]
  }

  #check(session: SmscSession, { command, systemId, password }: BindPdu): number {
    const { faults, systemIds } = this.#parts
    if (faults.picks('refusedBinds')) return faults.conduct.refusedBinds.status
    if (session.account) return STATUSES.ESME_RALYBND
    if (systemIds && (!Object.hasOwn(systemIds, systemId) || systemIds[systemId] !== password)) {
      return STATUSES.ESME_RINVPASWD
    }
    const isAlreadyBound = faults.conduct.isOneSessionOnly && this.#isBound(systemId, command)
    return isAlreadyBound ? STATUSES.ESME_RALYBND : STATUSES.ESME_ROK
  }

  /** A transmitter and a receiver do not exclude each other. */
  #isBound(systemId: string, command: BindPdu['command']): boolean {
    const account = this.#accounts.get(systemId)
    if (!account) return false
    if (performance.now() < account.ghostUntil) return true
    return [...account.sessions].some(
      ({ canSubmit, canReceive }) =>
        (canSubmit && command !== 'bind_receiver') || (canReceive && command !== 'bind_transmitter')
    )
  }

  #accountOf(systemId: string): SystemAccount {
    let account = this.#accounts.get(systemId)
    if (!account) {
      account = new SystemAccount(systemId, this.#parts)
      this.#accounts.set(systemId, account)
    }
    return account
  }

  #sum(count: (account: SystemAccount) => number): number {
    let sum = 0
    for (const account of this.#accounts.values()) sum += count(account)
    return sum
  }
}
