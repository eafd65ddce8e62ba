/**
 * A look that is shared: who asks while it runs gets its answer, and so does who asks within `keptMs` after it. A failure is told
 * to all who waited for it, and not kept.
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
