/** The parts that run, in the order of their start. */
export class StartedParts {
  readonly #parts: RunningPart[] = []

  add(part: RunningPart): void {
    this.#parts.push(part)
  }

  async stop(onPart?: (name: string) => void): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      onPart?.(part.name)
      await part.stop()
    }
  }
}

/** A part of the service, by the name that a slow stop tells. */
export interface RunningPart {
  name: string
  stop(): Promise<unknown>
}
