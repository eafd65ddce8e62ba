import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { claimBatches } from '../src/queue/claims.store.ts'
import { MACHINE, say, timed, withChappe } from './child.ts'
import { median } from './load.ts'

/*
 * `npm run bench:claims`: a claim of ready batches while thousands of accounts have scheduled ones, as a ratio to the same claim
 * on a route without scheduled batches.
 */

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '10000' },
    batches: { type: 'string', default: '5' },
    claims: { type: 'string', default: '500' }
  }
})
const accounts = Number(values.accounts)
const batches = Number(values.batches)
const claims = Number(values.claims)
/** Accounts that have a batch to send now. */
const READY_ACCOUNTS = 10
const ROUTES = { none: 'sms:33', scheduled: 'sms:44' }

await withChappe({ CHAPPE_ROLES: 'api' }, async ({ folder }) => {
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  // With the settings of the connections of delivery.
  const pool = connect({ url: server, applicationName: 'bench', connectionsMax: 1, isLookupOnly: true })
  await pool`set statement_timeout = 0`

  // Rows of account ids that do not exist. Accounts with ready batches are spread among those with scheduled ones.
  await pool`
    insert into batches (account_id, message_id, id, lane, route, due_at, expires_at, positions)
    select account, account * 1000 + batch, account * 1000 + batch, 0, ${ROUTES.scheduled}, now() + interval '1 day',
      now() + interval '2 days', '{1}'
    from generate_series(1, ${accounts}) as account, generate_series(1, ${batches}) as batch
  `
  await pool`
    insert into batches (account_id, message_id, id, lane, route, due_at, is_ready, expires_at, positions)
    select account * ${Math.max(1, Math.floor(accounts / READY_ACCOUNTS))}, -account, -account, 0, route, now(), true,
      now() + interval '1 day', '{1}'
    from unnest(${Object.values(ROUTES)}::text[]) with ordinality as routes (route, place)
    cross join lateral (select number * 2 + place as account from generate_series(1, ${READY_ACCOUNTS}) as number) as given
  `
  await pool`vacuum analyze batches`

  async function claimMs(route: string): Promise<number> {
    const claim = { token: randomUUID(), route, lane: 0, leaseSeconds: 10, afterAccountId: 0, exceptAccountIds: [] }
    const { result, seconds } = await timed(() => claimBatches(pool, claim))
    if (result.length !== READY_ACCOUNTS) throw new Error(`${result.length} batches were claimed`)
    await pool`update batches set leased_by = null, leased_until = null where is_ready`
    return seconds * 1000
  }

  // In turns, so that both meet the same load of the machine.
  const times: Record<keyof typeof ROUTES, number[]> = { none: [], scheduled: [] }
  for (let turn = 0; turn < claims; turn++) {
    times.none.push(await claimMs(ROUTES.none))
    times.scheduled.push(await claimMs(ROUTES.scheduled))
  }
  const [noneMs, scheduledMs] = [median(times.none), median(times.scheduled)]
  say(
    `claim: ${noneMs.toFixed(2)} ms with nothing scheduled, ${scheduledMs.toFixed(2)} ms with ${batches} batches of each of ` +
      `${accounts} accounts (medians of ${claims})`
  )
  say(`ratio to nothing scheduled: median ${(scheduledMs / noneMs).toFixed(2)} (aim: at most 1.2)`)
  say(MACHINE)
  await pool.close(5)
})
