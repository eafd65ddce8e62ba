import { Refusal } from '../errors.ts'
import { NameOrders, ORDERS_MAX } from './name-orders.ts'

/*
 * `application/x-www-form-urlencoded` with nested brackets: `contacts[0][tel]=…`, `recipients[]=…`. Written here
 * because the usual parsers merge arrays pair by pair, which takes minutes at 100,000 recipients; this one is linear.
 */

/** `data[cards][0][choices][0][type]` */
const DEPTH_MAX = 6
/** 100,000 contacts with five fields each: about a second of work, in which no other request is served. */
const PAIRS_MAX = 500_000
/** An object with 400,000 names took four seconds to make, to read and to check. */
const NAMES_MAX = 100_000
/** 100,000 contacts. Each is made twice, and 2,500,000 took seconds. */
const LEVELS_MAX = 200_000

/** A level of brackets. */
class Branch extends Map<string, Branch | string> {
  /** The number that its next empty pair `[]` stands for. */
  next = 0
  /** Whether it has numbers for names, and nothing else: then it is an array. */
  isNumbered = true
  isInOrder = true

  override set(name: string, value: Branch | string): this {
    if (!isNumber(name)) this.isNumbered = false
    else if (Number(name) >= this.next) this.next = Number(name) + 1
    else this.isInOrder = false
    return super.set(name, value)
  }
}

/** Up to nine digits. By hand: this runs for each field of a large form. */
function isNumber(name: string): boolean {
  if (name.length === 0 || name.length > 9) return false
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return true
}

export function parseForm(text: string): unknown {
  return nestFields(new URLSearchParams(text))
}

/** The same for fields that come one by one: the parts of a multipart body. */
export function nestFields(pairs: Iterable<[name: string, value: string]>): unknown {
  const root = new Branch()
  const names = new Set<string>()
  let count = 0
  let levels = 0
  for (const [name, value] of pairs) {
    if (++count > PAIRS_MAX) throw malformed(`has more than ${PAIRS_MAX} fields`)
    const steps = toSteps(name)
    for (const step of steps) if (!isNumber(step)) names.add(step)
    if (names.size > NAMES_MAX) throw malformed(`has more than ${NAMES_MAX} names`)
    levels += insert(root, steps, value)
    if (levels > LEVELS_MAX) throw malformed(`has more than ${LEVELS_MAX} objects and lists`)
  }
  return toObject(root, new NameOrders())
}

/** `contacts[0][tel]` → contacts, 0, tel. */
function toSteps(name: string): string[] {
  const open = name.indexOf('[')
  if (open <= 0) return [name]
  const steps = [name.slice(0, open)]
  let start = -1
  for (let at = open; at < name.length; at++) {
    const code = name.charCodeAt(at)
    if (code === OPENING) start = at + 1
    else if (code === CLOSING && start !== -1) {
      steps.push(name.slice(start, at))
      if (steps.length > DEPTH_MAX) throw malformed(`is nested deeper than ${DEPTH_MAX}`)
      start = -1
    }
  }
  return steps
}

const OPENING = 91
const CLOSING = 93

/** Returns how many levels were new. */
function insert(root: Branch, steps: string[], value: string): number {
  let branch = root
  let made = 0
  for (const [index, step] of steps.entries()) {
    const name = step === '' && index > 0 ? String(branch.next) : step
    if (index === steps.length - 1) {
      branch.set(name, value)
      return made
    }
    let next = branch.get(name)
    if (!(next instanceof Branch)) {
      next = new Branch()
      branch.set(name, next)
      made++
    }
    branch = next
  }
  return made
}

/** A level whose names are all numbers is an array, in the order of the numbers; gaps are closed. */
function toValue(value: Branch | string, orders: NameOrders): unknown {
  if (typeof value === 'string') return value
  if (!value.isNumbered) return toObject(value, orders)
  const items = value.isInOrder ? [...value.values()] : inOrder(value)
  return items.map((item) => toValue(item, orders))
}

function toObject(branch: Branch, orders: NameOrders): unknown {
  let names = NameOrders.beginning
  for (const name of branch.keys()) names = orders.add(names, name)
  if (orders.count > ORDERS_MAX) throw malformed(`has more than ${ORDERS_MAX} names, or orders in which they come`)
  // fromEntries defines properties, so a field named __proto__ is a field like any other.
  return Object.fromEntries(Array.from(branch, ([name, item]) => [name, toValue(item, orders)]))
}

function inOrder(branch: Branch): (Branch | string)[] {
  return [...branch].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
}

function malformed(problem: string): Refusal {
  return new Refusal(400, 'invalid_input', `The form ${problem}.`, { details: [{ path: '', message: problem }] })
}
