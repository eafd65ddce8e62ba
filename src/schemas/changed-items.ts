/** The same list if no item changes, as nearly always: a body may have a hundred thousand items. */
export function changedItems(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const item = change(list[index])
    if (item === list[index]) continue
    copy ??= [...list]
    copy[index] = item
  }
  return copy ?? list
}
