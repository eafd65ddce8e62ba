/**
 * First in, first out, at the same price however many wait: taking from the front of a long array moves all the others.
 */
export class Fifo<Item> {
  #items: (Item | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  get first(): Item | undefined {
    return this.#items[this.#head]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined // Else the item stays in memory until the array is moved.
    // Half of the array is empty by now: moving the rest costs, over time, one move for each item.
    if (this.size === 0 || (this.#head >= 1_024 && this.#head * 2 >= this.#items.length)) this.pushFront([])
    return item
  }

  /** In front of all that wait, in the order given. */
  pushFront(items: Iterable<Item>): void {
    this.#items = [...items, ...this.#items.slice(this.#head)]
    this.#head = 0
  }

  /** All of them; none stays. */
  drain(): Item[] {
    const items = this.#items.slice(this.#head) as Item[]
    this.#items = []
    this.#head = 0
    return items
  }
}
