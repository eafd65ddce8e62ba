import { strict as assert } from 'node:assert'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { assertLedgerHolds } from '../checks/ledger.ts'
import type { ApiAnswer } from '../service/api-client.ts'
import { OPERATOR_ONLY } from '../service/operator-only.ts'
import { type TestService, test } from '../service/service.ts'
import { checkAnswer, fingerprint, Ownership } from './checks.ts'
import { type ApiDocument, type Described, operationsOf, readDocument } from './document.ts'
import { createAsk } from './http.ts'
import { type Wanted, wantedOf } from './requests.ts'
import { FUZZ_RUNS, runOptions, tellSeed } from './runs.ts'
import { toRequest } from './send.ts'
import { type Actor, startWorld } from './world.ts'

/*
 * Every operation of the reference, with bodies, paths, queries and headers made from what it says of itself: some good, some at
 * the edges, some bad. Whatever comes: never a 500, never another shape than the reference's, never another account's data;
 * and what is refused changes nothing.
 */

/** Argon2 makes these slow on purpose. */
const SLOW = new Set(
  `login beginPasskeyLogin createAccount createSubAccount changeMe acceptInvitation resetPassword createSmppCredential
  rotateSmppCredential`.split(/\s+/)
)
/** Every request shows a key; these need a token, a passkey, a ticket, a mailed link, a mail server, or a second owner. */
const NEEDS_MORE = new Set(
  `logout readSecondFactor beginTotp confirmTotp removeTotp renewRecoveryCodes beginPasskey addPasskey removePasskey
  beginPasskeyLogin openSignOnSession switchAccount listMyAccounts leaveAccount listMySessions endOtherSessions endSession
  markNoticesRead joinAccount lookAtInvitation acceptInvitation forgotPassword resetPassword removePerson viewAccount
  viewSubAccount resetAccountPassword resetSubAccountPassword removeAccountFactor removeSubAccountFactor`.split(/\s+/)
)
const RUNS = 7
const SLOW_RUNS = 5
const GOOD_RUNS = 60
/** Of the requests that are refused, one in so many is looked at for what it changed. */
const LOOKED_AT = 6

/** What only the sandbox has is asked there. */
const SANDBOX = /^\/sandbox\//

test('no request whatsoever is answered by a 500, in a wrong shape, or with another account’s data', async (t) => {
  tellSeed(t)
  const { quiet, busy, actors } = await startWorld(t)
  const ask = createAsk(t)
  const ownership = new Ownership()
  const statuses = new Map<string, Map<number, number>>()
  let asked = 0
  let lookedAt = 0

  async function fuzz(service: TestService, document: ApiDocument, operation: Described): Promise<void> {
    const counts = new Map<number, number>()
    statuses.set(operation.id, counts)
    const request = fc.record({ who: fc.nat(99), wanted: wantedOf(operation) })
    const property = fc.asyncProperty(request, async ({ who, wanted }) => {
      const actor = chooseActor(actors, operation, who, wanted)
      const isLookedAt = service === quiet && asked++ % LOOKED_AT === 0
      for (let attempt = 1; ; attempt++) {
        const before = isLookedAt ? await fingerprint(quiet.pool) : ''
        const answer = await askOnce(service, document, actor, wanted)
        if (wanted.isGood) counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
        if (!isLookedAt || answer.status === 200 || (await fingerprint(quiet.pool)) === before) break
        // A worker may have done something meanwhile; but not each time.
        assert.ok(attempt < 3, `a refusal changed something: ${answer.text}`)
      }
      if (isLookedAt) lookedAt++
    })
    await fc.assert(property, runOptions(SLOW.has(operation.id) ? SLOW_RUNS : RUNS))
    // A fuzz that only ever sees refusals proves nothing.
    const good = wantedOf(operation).filter(({ isGood }) => isGood)
    for (const wanted of counts.has(200) ? [] : fc.sample(good, runOptions(GOOD_RUNS))) {
      const { status } = await askOnce(service, document, chooseActor(actors, operation, 1, wanted), wanted)
      counts.set(status, 1)
      if (status === 200) break
    }
  }

  async function askOnce(
    service: TestService,
    document: ApiDocument,
    actor: Actor,
    wanted: Wanted
  ): Promise<ApiAnswer> {
    const { operation } = wanted
    // What is guessed wrongly here would else slow down what is right.
    if (SLOW.has(operation.id)) await quiet.pool`delete from attempts`
    const request = await toRequest(quiet.pool, service.url, actor, wanted)
    const answer = await ask(request)
    checkAnswer(document, { operation, request, answer }, { actor, actors })
    ownership.note(operation, actor, answer)
    remember(actor, operation, request.fields, answer)
    return answer
  }

  const busyDocument = await readDocument(busy.url)
  const all = operationsOf(busyDocument)
  for (const operation of all.filter(({ path }) => SANDBOX.test(path))) await fuzz(busy, busyDocument, operation)
  await busy.stop()
  const document = await readDocument(quiet.url)
  for (const operation of operationsOf(document)) await fuzz(quiet, document, operation)

  assert.deepEqual(
    all.map(({ id }) => id).filter((id) => !statuses.has(id)),
    [],
    'every operation was asked'
  )
  const neverDone = [...statuses].filter(([id, counts]) => !counts.has(200) && !NEEDS_MORE.has(id)).map(([id]) => id)
  assert.deepEqual(neverDone, [], 'every operation was done at least once')
  assert.ok((await ownership.check(quiet.pool)) > 50)
  assert.ok(lookedAt > all.length)
  await assertLedgerHolds(quiet.pool)
  assertNoErrors(quiet)
  assertNoErrors(busy)
  assert.deepEqual(await readdir(join(quiet.dataFolder, 'uploads')), [], 'no file is left')
  t.diagnostic(`${asked} requests, ${lookedAt} of them looked at for what they changed, × ${FUZZ_RUNS}`)
})

const ANY_ACCOUNT = /^\/agents\/|^\/routes\//

function chooseActor(actors: readonly Actor[], operation: Described, who: number, { isGood }: Wanted): Actor {
  const [operator, parent] = actors as [Actor, Actor]
  // Only the operator may ask for any account.
  if (isGood && (OPERATOR_ONLY.has(operation.id) || ANY_ACCOUNT.test(operation.path))) return operator
  // A sub-account has none below it.
  if (isGood && operation.path.startsWith('/subaccount')) return parent
  return actors[who % actors.length] as Actor
}

/** What an account can log in with from now on. */
function remember({ account }: Actor, { id }: Described, fields: unknown, { status, headers, body }: ApiAnswer): void {
  if (status !== 200 || headers.has('idempotent-replayed')) return
  if (id === 'rotateApiKey') account.apiKey = body.apikey
  if (id !== 'changeMe') return
  account.email = body.email
  const { password } = (fields ?? {}) as { password?: string }
  if (typeof password === 'string') account.password = password
}

function assertNoErrors({ logLines }: TestService): void {
  assert.deepEqual(logLines.filter((line) => JSON.parse(line).level >= 50).slice(0, 3), [], 'nothing went wrong inside')
}
