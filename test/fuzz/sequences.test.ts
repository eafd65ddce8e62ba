import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { fileForm } from '../service/file-form.ts'
import { startService, type TestAccount, test } from '../service/service.ts'
import { runOptions, tellSeed } from './runs.ts'

/*
 * Two accounts do things in any order, sometimes with each other's ids, and a model of a few lines says what they must find
 * afterwards: their lists and who is on them, their opt-outs, their messages, and what they have left.
 */

/** What one account has, as it should be. */
interface Model {
  account: TestAccount
  lists: Map<number, { name: string; phones: Set<string> }>
  stops: Map<string, number>
  messages: Map<number, { recipients: number; isCancelled: boolean }>
  credits: number
}

type Step =
  | { do: 'create-list'; name: string }
  | { do: 'rename-list'; list: number; name: string }
  | { do: 'delete-list'; list: number }
  | { do: 'add-contacts' | 'import-contacts'; list: number; phones: string[] }
  | { do: 'add-stop'; phone: string }
  | { do: 'delete-stop'; stop: number }
  | { do: 'send'; phones: string[]; isDryRun: boolean }
  | { do: 'send-to-list'; list: number }
  | { do: 'cancel'; message: number }
  | { do: 'give-credits'; credits: number }

const phone = fc.nat(7).map((digit) => `+3363998005${digit}`)
const phones = fc.array(phone, { minLength: 1, maxLength: 6 })
const pick = fc.nat(5)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('create-list' as const), name: fc.constantFrom('a', 'b', '😀') })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename-list' as const), list: pick, name: fc.constant('c') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-list' as const), list: pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add-contacts' as const), list: pick, phones }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('import-contacts' as const), list: pick, phones }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add-stop' as const), phone }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-stop' as const), stop: pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), phones, isDryRun: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send-to-list' as const), list: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), message: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('give-credits' as const), credits: fc.integer({ min: 1, max: 5 }) })
  }
)

/** Who does it, and whether it is done to what is the other's. */
const move = fc.record({ who: fc.nat(1), isOthers: fc.integer({ min: 0, max: 5 }).map((n) => n === 0), step })

test('whatever two accounts do, each finds what it did, and nothing of the other', async (t) => {
  tellSeed(t)
  const service = await startService(t)
  const property = fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 25 }), async (moves) => {
    const parent = await service.newAccount({ credits: 1_000 })
    const child = await parent.newSubAccount({ credits: 12 })
    const models = [newModel(parent, 1_000 - 12), newModel(child, 12)] as [Model, Model]
    for (const { who, isOthers, step } of moves) {
      const [mine, theirs] = who === 0 ? models : [models[1], models[0]]
      await run(step, { mine, whose: isOthers ? theirs : mine, models })
    }
    for (const model of models) await compare(model)
  })
  await fc.assert(property, runOptions(8))
  await assertLedgerHolds(service.pool)
  assert.deepEqual(service.logLines.filter((line) => JSON.parse(line).level >= 50).slice(0, 3), [])
})

function newModel(account: TestAccount, credits: number): Model {
  return { account, lists: new Map(), stops: new Map(), messages: new Map(), credits }
}

interface Cast {
  /** Who does it. */
  mine: Model
  /** Whose things it is done to. */
  whose: Model
  models: [parent: Model, child: Model]
}

const LATER = new Date(Date.now() + 90 * 86_400_000).toISOString()

async function run(step: Step, { mine, whose, models }: Cast): Promise<void> {
  const { account } = mine
  const isOthers = whose !== mine
  switch (step.do) {
    case 'create-list': {
      const { body } = await account.expect(200).post('/contactlists', { name: step.name })
      mine.lists.set(body.id, { name: step.name, phones: new Set() })
      return
    }
    case 'rename-list': {
      const [id, list] = pickOf(whose.lists, step.list)
      const { status } = await account.put(`/contactlists/${id}`, { name: step.name })
      assert.equal(status, isOthers || !list ? 404 : 200)
      if (!isOthers && list) list.name = step.name
      return
    }
    case 'delete-list': {
      const [id, list] = pickOf(whose.lists, step.list)
      const { status } = await account.delete(`/contactlists/${id}`)
      assert.equal(status, isOthers || !list ? 404 : 200)
      if (!isOthers) mine.lists.delete(id)
      return
    }
    case 'add-contacts':
    case 'import-contacts': {
      const [id, list] = pickOf(whose.lists, step.list)
      const { status, body } =
        step.do === 'add-contacts'
          ? await account.post('/contacts', { contactlist_id: id, contacts: step.phones.map((tel) => ({ tel })) })
          : await account.post('/contacts/file', fileForm(step.phones.join('\n'), { contactlist_id: String(id) }))
      assert.equal(status, isOthers || !list ? 404 : 200)
      if (isOthers || !list) return
      const given = new Set(step.phones)
      const known = [...given].filter((phone) => list.phones.has(phone)).length
      assert.deepEqual(
        [body.added, body.updated, body.duplicates],
        [given.size - known, known, step.phones.length - given.size]
      )
      for (const phone of given) list.phones.add(phone)
      return
    }
    case 'add-stop': {
      const { body } = await account.expect(200).post('/stops', { recipient: step.phone })
      assert.equal(body.id, mine.stops.get(step.phone) ?? body.id)
      mine.stops.set(step.phone, body.id)
      return
    }
    case 'delete-stop': {
      const [phone = '', id = 999_999] = [...whose.stops][step.stop % Math.max(whose.stops.size, 1)] ?? []
      const { status } = await account.delete(`/stops/${id}`)
      assert.equal(status, isOthers || phone === '' ? 404 : 200)
      if (!isOthers) mine.stops.delete(phone)
      return
    }
    case 'send': {
      const answer = await account.post(`/messages/sms?resumeBefore=${step.isDryRun}`, {
        recipients: step.phones,
        content: 'Bonjour',
        scheduleAt: LATER
      })
      return expectSend(mine, new Set(step.phones), answer, step.isDryRun)
    }
    case 'send-to-list': {
      const [id, list] = pickOf(whose.lists, step.list)
      const send = { contactlist: [id], content: 'Bonjour', scheduleAt: LATER }
      const answer = await account.post('/messages/sms/contactlist', send)
      if (isOthers || !list) return assert.equal(answer.status, 404)
      return expectSend(mine, list.phones, answer, false)
    }
    case 'cancel': {
      const [id, message] = pickOf(whose.messages, step.message)
      const { status } = await account.put(`/messages/${id}/cancel`)
      assert.equal(status, isOthers || !message ? 404 : message.isCancelled ? 409 : 200)
      if (status !== 200 || !message) return
      message.isCancelled = true
      mine.credits += message.recipients
      return
    }
    case 'give-credits': {
      const [parent, child] = models
      const path = `/subaccount/${child.account.id}/credits/add`
      const { status } = await account.put(path, { credits: step.credits })
      // A sub-account has nobody below it, not even itself.
      if (mine !== parent) return assert.equal(status, 404)
      assert.equal(status, 200)
      parent.credits -= step.credits
      child.credits += step.credits
      return
    }
  }
}

/** Who is not opted out gets one, if there are credits for all of them. */
function expectSend(
  model: Model,
  phones: ReadonlySet<string>,
  { status, body }: { status: number; body: Record<string, number> },
  isDryRun: boolean
): void {
  const count = [...phones].filter((phone) => !model.stops.has(phone)).length
  if (count === 0) {
    assert.equal(status, 400)
    return
  }
  if (!isDryRun && count > model.credits) {
    assert.equal(status, 402)
    return
  }
  assert.equal(status, 200)
  assert.deepEqual([body.recipients_count, body.stops], [count, phones.size - count])
  if (isDryRun) return
  model.credits -= count
  assert.equal(body.credits_remaining, model.credits)
  model.messages.set(body.message_id ?? 0, { recipients: count, isCancelled: false })
}

function pickOf<T>(things: ReadonlyMap<number, T>, pick: number): [id: number, thing: T | undefined] {
  return [...things][pick % Math.max(things.size, 1)] ?? [999_999, undefined]
}

/** What the account finds is what the model says, to the last one. */
async function compare({ account, lists, stops, messages, credits }: Model): Promise<void> {
  const client = account.expect(200)
  const found = (await client.get('/contactlists')).body
  assert.deepEqual(
    sorted(found.map((list: Listed) => [list.id, list.name, list.contacts_count])),
    sorted([...lists].map(([id, { name, phones }]) => [id, name, phones.size]))
  )
  for (const [id, { phones }] of lists) {
    const { body } = await client.get(`/contactlists/${id}/contacts-extract`)
    assert.deepEqual(sorted(body.map(({ tel }: { tel: string }) => tel)), sorted([...phones]))
  }
  const { body: stopped } = await client.get('/stops/all?limit=1000')
  assert.deepEqual(
    sorted(stopped.items.map(({ id, recipient }: { id: number; recipient: string }) => [recipient, id])),
    sorted([...stops])
  )
  const { body: history } = await client.get('/messages?limit=1000')
  assert.deepEqual(
    sorted(history.items.map(({ id, recipients_count: count, state }: Sent) => [id, count, state])),
    sorted([...messages].map(([id, sent]) => [id, sent.recipients, sent.isCancelled ? 'cancelled' : 'scheduled']))
  )
  assert.equal((await client.get('/users/credits')).body[0].credits, credits)
}

interface Listed {
  id: number
  name: string
  contacts_count: number
}

interface Sent {
  id: number
  recipients_count: number
  state: string
}

function sorted(values: unknown[]): string[] {
  return values.map((value) => JSON.stringify(value)).sort()
}
