/** What a session asks besides submits. */
export type ControlCommand = 'bind' | 'enquire_link' | 'unbind'

export interface ControlRequest {
  command: ControlCommand
  sequence: number
  untilMs: number
}

/** Requests that wait for their answer: one or two at a time. */
export class ControlRequests {
  readonly #requests = new Map<number, ControlRequest>()

  get size(): number {
    return this.#requests.size
  }

  has(sequence: number): boolean {
    return this.#requests.has(sequence)
  }

  add(command: ControlCommand, sequence: number, timeoutMs: number): void {
    this.#requests.set(sequence, { command, sequence, untilMs: performance.now() + timeoutMs })
  }

  /** The request that was answered, if there is one. */
  settle(sequence: number): ControlCommand | undefined {
    const request = this.#requests.get(sequence)
    this.#requests.delete(sequence)
    return request?.command
  }

  overdue(nowMs: number): ControlRequest[] {
    if (this.#requests.size === 0) return []
    return [...this.#requests.values()].filter(({ untilMs }) => nowMs >= untilMs)
  }

  postpone(byMs: number): void {
    for (const request of this.#requests.values()) request.untilMs += byMs
  }

  clear(): void {
    this.#requests.clear()
  }
}
