import { Refusal } from '../errors.ts'

/*
 * `application/x-www-form-urlencoded` with nested brackets: `contacts[0][tel]=…`, `recipients[]=…`. Written here because
 * the usual parsers merge arrays pair by pair, which takes minutes at 100,000 recipients; this one is linear.
 */

/** `data[cards][0][choices][0][type]` */
const DEPTH_MAX = 6
/** 100,000 contacts with all their fields. */
const PAIRS_MAX = 2_000_000

/** A level of brackets, and the number that its next empty pair `[]` stands for. */
class Branch extends Map<string, Branch | string> {
  next = 0

  override set(name: string, value: Branch | string): this {
    if (NUMBERED.test(name)) this.next = Math.max(this.next, Number(name) + 1)
    return super.set(name, value)
  }
}

const NUMBERED = /^\d{1,9}$/

export function parseForm(text: string): unknown {
  return nestFields(new URLSearchParams(text))
}

/** The same for fields that came one by one, as the parts of a multipart body do. */
export function nestFields(pairs: Iterable<[name: string, value: string]>): unknown {
  const root = new Branch()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > PAIRS_MAX) throw malformed(`has more than ${PAIRS_MAX} fields`)
    insert(root, toSteps(name), value)
  }
  return Object.fromEntries([...root].map(([name, value]) => [name, toValue(value)]))
}

/** `contacts[0][tel]` → contacts, 0, tel. */
function toSteps(name: string): string[] {
  const open = name.indexOf('[')
  if (open <= 0) return [name]
  const steps = [name.slice(0, open)]
  for (const [, step = ''] of name.slice(open).matchAll(/\[([^[\]]*)\]/g)) {
    steps.push(step)
    if (steps.length > DEPTH_MAX) throw malformed(`is nested deeper than ${DEPTH_MAX}`)
  }
  return steps
}

function insert(root: Branch, steps: string[], value: string): void {
  let branch = root
  for (const [index, step] of steps.entries()) {
    const name = step === '' && index > 0 ? String(branch.next) : step
    if (index === steps.length - 1) {
      branch.set(name, value)
      return
    }
    let next = branch.get(name)
    if (!(next instanceof Branch)) {
      next = new Branch()
      branch.set(name, next)
    }
    branch = next
  }
}

/** What is numbered all through is an array, in the order of its numbers; gaps are closed. */
function toValue(value: Branch | string): unknown {
  if (typeof value === 'string') return value
  const entries = [...value].map(([name, item]) => [name, toValue(item)] as const)
  if (entries.every(([name]) => NUMBERED.test(name))) {
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
  }
  // fromEntries defines properties, so a field named __proto__ is a field like any other.
  return Object.fromEntries(entries)
}

function malformed(problem: string): Refusal {
  return new Refusal(400, 'invalid_input', `The form ${problem}.`, { details: [{ path: '', message: problem }] })
}
