/** Adds to a count, and removes a count that is back at 0: accounts come and go. */
export function addTo<K>(counts: Map<K, number>, key: K, amount: number): void {
  const sum = (counts.get(key) ?? 0) + amount
  if (sum > 0) counts.set(key, sum)
  else counts.delete(key)
}
