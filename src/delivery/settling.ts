/**
 * Ids that carriers have just given, whose recipients are on their way into the database. A receipt is often quicker than
 * that: it waits here for the commit instead of being taken for one that nobody knows.
 */
export class Settling {
  readonly #commits = new Map<string, Promise<unknown>>()

  add(carrier: string, canonicalIds: readonly string[], commit: Promise<unknown>): void {
    for (const id of canonicalIds) this.#commits.set(nameOf(carrier, id), commit)
    const remove = () => {
      for (const id of canonicalIds) {
        // An id that has come again meanwhile is the other's.
        if (this.#commits.get(nameOf(carrier, id)) === commit) this.#commits.delete(nameOf(carrier, id))
      }
    }
    commit.then(remove, remove)
  }

  /** Undefined when there is nothing to wait for. Never rejects. */
  untilSettled(carrier: string, canonicalIds: readonly string[]): Promise<unknown> | undefined {
    const commits = canonicalIds.flatMap((id) => this.#commits.get(nameOf(carrier, id)) ?? [])
    return commits.length === 0 ? undefined : Promise.allSettled(commits)
  }
}

function nameOf(carrier: string, canonicalId: string): string {
  return `${carrier} ${canonicalId}`
}
