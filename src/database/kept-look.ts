/**
 * A shared look: calls that come while it runs, or within `keptMs` after it, get its answer. A failure goes to all
 * calls that waited for it, and is not kept.
 */
export function keptLook<T>(keptMs: number, look: () => Promise<T>): () => Promise<T> {
  let kept: { answer: Promise<T>; untilMs: number } | undefined
  return () => {
    if (kept && performance.now() < kept.untilMs) return kept.answer
    const running = { answer: look(), untilMs: Number.POSITIVE_INFINITY }
    kept = running
    running.answer.then(
      () => {
        running.untilMs = performance.now() + keptMs
      },
      () => {
        kept = undefined
      }
    )
    return running.answer
  }
}
