import { strict as assert } from 'node:assert'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { findSpendable } from '../credits/credits.store.ts'
import { type Database, liftStatementTimeout } from '../database/database.ts'
import { invalidInput, type Refusal } from '../errors.ts'
import { type AudienceFields, toAudience } from '../sends/accept-later.ts'
import { tooFewCredits } from '../sends/accepted.ts'
import type { LaterSending } from '../sends/depart.ts'
import { type Candidate, Plan } from '../sends/plan.ts'
import { readReachable, takeAll } from '../sends/store-many.ts'
import { createDraw, type GroupSizes, groupSizes } from './draw.ts'
import type { VariantSend } from './read-variants.ts'
import type { TrialPerson } from './trial-people.store.ts'

export interface Split {
  /** Counts those who are not written to. */
  everybody: Plan
  variables: string[]
  sizes: GroupSizes
  /** By variant, the plan of those who are tested with it. */
  tested: Plan[]
  /** By variant, the plan of the rest if it wins. */
  rest: Plan[]
}

interface Audience {
  variants: readonly VariantSend[]
  audience: AudienceFields
  share: number
  /** Called with people and their groups as they are drawn. */
  onDrawn?: (people: readonly TrialPerson[]) => Promise<void>
}

/**
 * Finds the people of a trial, draws who gets which variant, and prices all of it. The audience is read twice, in chunks: once to
 * count it, and once to draw. A person who comes in between belongs to the rest. Must run in a transaction.
 */
export async function splitAudience(database: Database, audience: Audience, sending: LaterSending): Promise<Split> {
  const split = await splitIfEnough(database, audience, sending)
  if ('tooFew' in split) throw split.tooFew
  return split
}

/** The same for a trial that begins later, when more people may be there. */
export async function splitIfEnough(
  database: Database,
  { variants, audience, share, onDrawn }: Audience,
  sending: LaterSending
): Promise<Split | { tooFew: Refusal }> {
  await liftStatementTimeout(database)
  const [first] = variants
  assert(first)
  const variables = [...new Set(variants.flatMap(({ send }) => send.variables))]
  const source = toAudience(sending, audience, { ...first.send, variables })
  const { routing } = sending
  // Without variables: whether they are defined is a question to each variant.
  const planEverybody = () => new Plan({ ...first.send, variables: [] }, routing, source.path)
  let everybody = planEverybody()
  let people = 0
  const reading = { send: first.send, source }
  for await (const candidates of readReachable(database, everybody, reading)) people += candidates.length
  const sizes = groupSizes(people, { share, variants: variants.length })
  if (!sizes) return { tooFew: tooFewPeople(everybody, source.path, { people, variants: variants.length }) }

  everybody = planEverybody()
  const plans = () => variants.map(({ send }) => new Plan(send, routing, source.path))
  const split: Split = { everybody, variables, sizes, tested: plans(), rest: plans() }
  const draw = createDraw(sizes)
  const priced = (group: number) => pricedBy(split, variants, group)
  for await (const candidates of readReachable(database, everybody, reading)) {
    const groups = Map.groupBy(candidates, draw)
    for (const [group, members] of groups) await priced(group)(members)
    await onDrawn?.([...groups].flatMap(([variant, members]) => members.map((person) => ({ ...person, variant }))))
  }
  await refuseEmpty(split, variants)
  return split
}

/** Plans the members of a group: with its variant, or those of the rest with each. */
function pricedBy({ tested, rest, variables }: Split, variants: readonly VariantSend[], group: number) {
  return async (members: readonly Candidate[]): Promise<void> => {
    for (const [index, { send, check }] of variants.entries()) {
      const plan = group === 0 ? rest[index] : group === index + 1 ? tested[index] : undefined
      if (!plan) continue
      const toValues = valuesOf(send.variables, variables)
      const own = members.map((person) => ({ ...person, values: toValues(person.values) }))
      for (const person of own) plan.noteValues(person)
      await check(() => takeAll(plan, own, NOBODY_DROPPED))
    }
  }
}

const NOBODY_DROPPED = { stopped: new Set<string>(), full: new Set<string>() }

/** The values of some variables among those of all. */
export function valuesOf(wanted: readonly string[], all: readonly string[]) {
  const places = wanted.map((name) => all.indexOf(name))
  return (values: readonly (string | null | undefined)[]): (string | undefined)[] =>
    places.map((place) => values[place] ?? undefined)
}

async function refuseEmpty({ tested, rest, sizes }: Split, variants: readonly VariantSend[]): Promise<void> {
  for (const [index, { check }] of variants.entries()) {
    await check(async () => {
      tested[index]?.refuseIfEmpty()
      if (sizes[0] > 0) rest[index]?.refuseIfEmpty()
    })
  }
}

function tooFewPeople(
  everybody: Plan,
  path: string,
  { people, variants }: { people: number; variants: number }
): Refusal {
  if (people === 0) return everybody.refusalOfNobody()
  const somebody = people === 1 ? '1 person' : `${people} people`
  const message = `has ${somebody} to send to, and ${variants} variants need ${variants} or more`
  return invalidInput([{ path, message }])
}

export interface Price {
  /** Of the variants. */
  tested: number
  /** Of the rest, by the cheapest and by the dearest variant. */
  restMin: number
  restMax: number
  /** Of all, if the dearest variant wins. */
  required: number
  balance: number
}

export async function priceOf(
  database: Database,
  { tested, rest }: Split,
  [first]: readonly VariantSend[]
): Promise<Price> {
  assert(first)
  const { accountId, channel } = first.send
  const credits = (plan: Plan) => plan.totals.credits
  const [restMin, restMax] = [Math.min(...rest.map(credits)), Math.max(...rest.map(credits))]
  const sum = tested.reduce((total, plan) => total + credits(plan), 0)
  const balance = await findSpendable(database, { accountId, messageType: MESSAGE_TYPES[channel] })
  return { tested: sum, restMin, restMax, required: sum + restMax, balance }
}

/** Refuses a trial whose rest could not be paid as things are. */
export function refuseUnpaid({ required, balance }: Price, [first]: readonly VariantSend[]): void {
  if (first && required > balance) throw tooFewCredits({ required, remaining: balance }, first.send)
}
