/* Who gets which variant. */

/** The rest comes first, then each variant. */
export type GroupSizes = readonly [rest: number, ...variants: number[]]

/** Each variant gets at least one person, and they differ by one at most. Undefined if there are fewer people than variants. */
export function groupSizes(
  people: number,
  { share, variants }: { share: number; variants: number }
): GroupSizes | undefined {
  if (people < variants) return undefined
  const tested = Math.max(variants, Math.round((people * share) / 100))
  const sizes = Array.from(
    { length: variants },
    (_, index) => Math.floor(tested / variants) + (index < tested % variants ? 1 : 0)
  )
  return [people - tested, ...sizes]
}

/**
 * Draws the group of one person after the other. Every way to fill the groups is as likely as any other, and nothing is kept of
 * those who were drawn. Anybody beyond the sizes belongs to the rest, which is group 0.
 */
export function createDraw(sizes: GroupSizes, random: () => number = Math.random): () => number {
  const left = [...sizes]
  let people = left.reduce((sum, size) => sum + size, 0)
  return () => {
    if (people === 0) return 0
    let place = Math.floor(random() * people--)
    const group = left.findIndex((size) => {
      place -= size
      return place < 0
    })
    left[group] = (left[group] ?? 0) - 1
    return group
  }
}
