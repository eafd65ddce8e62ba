import { strict as assert } from 'node:assert'
import { openContactsOfLists, readOpenedContacts } from '../../src/contacts/contact-cursors.store.ts'
import { createImport, upsertImport } from '../../src/contacts/contact-imports.store.ts'
import {
  deleteHiddenContacts,
  findHiddenList,
  hideList,
  hideListsOf,
  insertList,
  putLast,
  updateAfterAdding,
  updateAfterRemoving
} from '../../src/contacts/contact-lists.store.ts'
import {
  deleteContact,
  eraseContacts,
  findContact,
  listContactsBefore,
  listContactsByPhone,
  listContactsOfPage,
  searchContacts,
  updateContact,
  upsertContacts
} from '../../src/contacts/contacts.store.ts'
import {
  claimList,
  extendClaim,
  listPhonesAfter,
  updateChecked,
  updateToRetry
} from '../../src/contacts/list-claims.store.ts'
import { connect, type Sql } from '../../src/database/database.ts'
import { isDistributed, readShape } from '../../src/database/shape.ts'
import { claimDueDoubts } from '../../src/delivery/doubts.store.ts'
import { eraseContents } from '../../src/messages/erasures.store.ts'
import { countMessages, listMessagesOfPage } from '../../src/messages/history.store.ts'
import {
  findMessage,
  findWriter,
  listMessagesWithZone,
  listSenders,
  lockMessage,
  lockMessages,
  updateLabels,
  updatePaused,
  updateToCancelled
} from '../../src/messages/messages.store.ts'
import { insertMessages } from '../../src/messages/new-messages.store.ts'
import { deleteMessages } from '../../src/messages/removal.store.ts'
import { beginScheduled } from '../../src/messages/scheduled-messages.store.ts'
import { type TotalsChange, updateMessageTotals } from '../../src/messages/totals.store.ts'
import { giveBack } from '../../src/queue/leases.store.ts'
import { countReach } from '../../src/rcs-lists/rcs-lists.store.ts'
import { eraseRecipients, listRecipientsByPhone } from '../../src/recipients/erasures.store.ts'
import { deleteOldPhoneAccounts } from '../../src/recipients/phone-accounts.store.ts'
import { findPhoneAt } from '../../src/recipients/positions.store.ts'
import { listMaybeAtPlatform } from '../../src/recipients/rcs-moves.store.ts'
import {
  copyRecipients,
  countRecipients,
  insertRecipients,
  listRecipientsAfter,
  listRecipientsOfPage
} from '../../src/recipients/recipients.store.ts'
import { listUnresent, updateToResent } from '../../src/recipients/resends.store.ts'
import { insertSmsCancelledEvents, queueCancelledReports } from '../../src/recipients/status-events.store.ts'
import { insertSteps } from '../../src/recipients/timeline.store.ts'
import {
  listWaitingBetween,
  listWaitingByPhone,
  listWaitingFallbacks,
  listWaitingPhones,
  listWaitingUntil,
  sumWaiting
} from '../../src/recipients/waiting-recipients.store.ts'
import { claimOver, claimRevocable } from '../../src/recipients/waits.store.ts'
import { listConversations } from '../../src/replies/conversations.store.ts'
import { listConversationsOfPage } from '../../src/replies/replies.store.ts'
import { listLeftMessages, listOldMessages, lockOver, WALK_BEGIN } from '../../src/retention/retention.store.ts'
import { countAudience } from '../../src/segments/audience.store.ts'
import { listPhones } from '../../src/smpp-server/details.store.ts'
import { createDatabase } from '../database/databases.ts'
import { ACCOUNT_IDS, FIRST_ID, keys, STATEMENTS } from '../database/statements.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

const key = { accountId: 1, id: FIRST_ID }
const phone = '+33612345678'
const list = { accountId: 1, listId: 1 }
const claim = { ...list, checkedTo: 0, tries: 0, token: '00000000-0000-0000-0000-000000000001' }
const window = { offset: 0, limit: 10, isFromEnd: false }
const written = { phone, to: '36111', carrier: 'main', byAgent: ['rcs'], bySender: ['main'] }
const range = { except: [], range: { after: 0, to: 10 } }
const recipient = { position: 1, segments: 1, credits: 1, country: 'FR', phone, content: null }

/** The one recipient of a message is sent, for so many credits more. */
function changeOf(charged: number, index = 0): TotalsChange {
  return {
    ...{ accountId: 1, messageId: FIRST_ID + index, waiting: -1, sent: 1, delivered: 0, read: 0, failed: 0 },
    ...{ stopped: 0, cancelled: 0, taken: 1, refunded: 0, charged, segments: 0 }
  }
}

/** The other statements on tables that are distributed or known to Citus. */
const OTHERS: Record<string, (sql: Sql) => Promise<unknown>> = {
  insertRecipients: (sql) =>
    insertRecipients(
      sql,
      [1, 2, 3, 4].map((accountId) => ({ ...recipient, accountId, messageId: FIRST_ID + 50 }))
    ),
  copyRecipients: (sql) => copyRecipients(sql, { accountId: 1, id: FIRST_ID + 51 }, [recipient]),
  sumWaiting: (sql) => sumWaiting(sql, key, { except: [2] }),
  listWaitingFallbacks: (sql) => listWaitingFallbacks(sql, key, { except: [2] }),
  listWaitingUntil: (sql) => listWaitingUntil(sql, key),
  listWaitingBetween: (sql) => listWaitingBetween(sql, key, { after: 0, to: 10 }),
  findPhoneAt: (sql) => findPhoneAt(sql, { accountId: 1, messageId: FIRST_ID, position: 1 }),
  listWaitingPhones: (sql) => listWaitingPhones(sql, { accountId: 1, messageId: FIRST_ID, positions: [1] }),
  listWaitingByPhone: (sql) => listWaitingByPhone(sql, { accountIds: ACCOUNT_IDS, phone, limit: 10 }),
  listRecipientsOfPage: (sql) => listRecipientsOfPage(sql, { ...key, states: [1, 2] }, window),
  listRecipientsAfter: (sql) => listRecipientsAfter(sql, key, { afterPosition: 0, limit: 10 }),
  listUnresent: (sql) => listUnresent(sql, key, { afterPosition: 0, limit: 10 }),
  updateToResent: (sql) => updateToResent(sql, key, { resentAs: FIRST_ID + 1 }),
  countRecipients: (sql) => countRecipients(sql, { ...key, states: [1] }),
  listMaybeAtPlatform: (sql) => listMaybeAtPlatform(sql, { accountId: 1, messageId: FIRST_ID, except: [] }),
  insertSmsCancelledEvents: (sql) => insertSmsCancelledEvents(sql, key, range),
  queueCancelledReports: (sql) => queueCancelledReports(sql, key, range),
  insertSteps: (sql) =>
    insertSteps(
      sql,
      ACCOUNT_IDS.flatMap((accountId) =>
        (['in_doubt', 'sent'] as const).map((step) => ({
          accountId,
          messageId: FIRST_ID,
          position: 1,
          step,
          detail: '',
          carrier: null
        }))
      )
    ),
  listRecipientsByPhone: (sql) => listRecipientsByPhone(sql, { accountId: 1, phone }),
  eraseRecipients: (sql) => eraseRecipients(sql, { accountId: 1, phone, before: new Date() }),
  deleteOldPhoneAccounts: (sql) => deleteOldPhoneAccounts(sql, { days: -60, limit: 10 }),
  claimDueDoubts: (sql) => claimDueDoubts(sql, { limit: 10 }),
  claimRevocable: (sql) => claimRevocable(sql, { limit: 10, leaseSeconds: 5 }),
  claimOver: (sql) => claimOver(sql, { limit: 10, leaseSeconds: 5, startedAt: new Date() }),
  listConversations: (sql) => listConversations(sql, written, { isStop: true }),
  listConversationsOfPage: (sql) => listConversationsOfPage(sql, { accountId: 1 }, window),
  listPhones: (sql) => listPhones(sql, { accountId: 1, messageId: FIRST_ID }),
  countAudience: (sql) =>
    countAudience(sql, {
      accountId: 1,
      timeZone: 'Europe/Paris',
      now: new Date(),
      rules: {
        match: 'all',
        rules: [
          { type: 'field', field: 'champ_ville', op: 'is', value: 'Lyon' },
          { type: 'list', op: 'in', list_id: 1 },
          { type: 'event', op: 'happened', event: 'delivered' },
          { type: 'event', op: 'not_happened', event: 'replied' }
        ]
      }
    }),
  countReach: (sql) => countReach(sql, { ...list, carriers: ['rbm', 'other'] }),

  insertList: (sql) => insertList(sql, { accountId: 1, name: 'New' }),
  updateAfterAdding: (sql) => updateAfterAdding(sql, { accountId: 1, id: 1 }, { count: 1, firstId: 5 }),
  updateAfterRemoving: (sql) => updateAfterRemoving(sql, { accountId: 1, id: 1 }, 0),
  hideList: (sql) => hideList(sql, { accountId: 1, id: 1 }),
  hideListsOf: (sql) => hideListsOf(sql, [1, 2]),
  findHiddenList,
  putLast: (sql) => putLast(sql, { accountId: 1, id: 1 }),
  async deleteHiddenContacts(sql) {
    await hideList(sql, { accountId: 1, id: 1 })
    assert.equal(await deleteHiddenContacts(sql, { accountId: 1, id: 1 }, 100), true)
    assert.deepEqual([...(await sql`select id from contact_lists where account_id = 1`)], [])
  },
  upsertContacts: (sql) =>
    upsertContacts(sql, { ...list, contacts: [{ phone }, { phone: '+33612345679', city: 'Lyon' }] }),
  async upsertImport(sql) {
    await createImport(sql, ['city'])
    await sql`insert into imported_contacts (line, phone) values (1, '+33612345678'), (2, '+33612345680')`
    const { rows, added, updated } = await upsertImport(sql, { ...list, fields: ['city'] })
    assert.deepEqual({ rows, added, updated }, { rows: 2, added: 1, updated: 1 })
  },
  async contactsOfLists(sql) {
    const wanted = { accountId: 1, listIds: [1], fields: ['city'] as const }
    await openContactsOfLists(sql, wanted)
    assert.deepEqual((await Array.fromAsync(readOpenedContacts(sql, wanted))).flat(), [[phone, '']])
  },
  async findContact(sql) {
    assert.equal((await findContact(sql, { accountId: 1, id: 1 }))?.phone, phone)
  },
  async updateContact(sql) {
    const changed = await updateContact(sql, { accountId: 1, id: 1, changes: { city: 'Lyon' } })
    assert.equal(changed?.city, 'Lyon')
  },
  async deleteContact(sql) {
    assert.equal((await deleteContact(sql, { accountId: 1, id: 1 }))?.listId, 1)
  },
  async eraseContacts(sql) {
    assert.equal(await eraseContacts(sql, { accountId: 1, phone }), 1)
  },
  listContactsByPhone: (sql) => listContactsByPhone(sql, { accountId: 1, phone }),
  listContactsOfPage: (sql) => listContactsOfPage(sql, list, window),
  searchContacts: (sql) => searchContacts(sql, list, { search: '06', offset: 0, limit: 10 }),
  listContactsBefore: (sql) => listContactsBefore(sql, list, { beforeId: 100, limit: 10 }),
  claimList: (sql) => claimList(sql, { token: claim.token, leaseSeconds: 5 }),
  extendClaim: (sql) => extendClaim(sql, claim, 5),
  listPhonesAfter: (sql) => listPhonesAfter(sql, claim, 10),
  updateChecked: (sql) => updateChecked(sql, claim, { checkedTo: 1, isWhole: true }),
  updateToRetry: (sql) => updateToRetry(sql, claim, { delaySeconds: 5 }),

  giveBack: (sql) =>
    giveBack(sql, {
      batch: { accountId: 1, messageId: FIRST_ID, id: 1, leasedBy: claim.token },
      positions: [1],
      attempts: 1,
      delaySeconds: 0,
      mayBePaused: true
    }),
  updateMessageTotals: (sql) => updateMessageTotals(sql, [changeOf(0), changeOf(0, 1)]),
  'updateMessageTotals, all different': (sql) =>
    updateMessageTotals(
      sql,
      [1, 2, 3, 4, 5].map((charged) => changeOf(charged, charged))
    ),
  updatePaused: (sql) => updatePaused(sql, { ...key, isPaused: true }),
  updateLabels: (sql) => updateLabels(sql, { ...key, name: 'Soldes', tags: ['2026'] }),
  beginScheduled: (sql) => beginScheduled(sql, { limit: 10, exceptAccountIds: [9] }),
  findMessage: (sql) => findMessage(sql, key),
  listSenders: (sql) => listSenders(sql, [{ accountId: 1, messageId: FIRST_ID }]),
  listMessagesWithZone: (sql) => listMessagesWithZone(sql, [{ accountId: 1, messageId: FIRST_ID }]),
  lockMessage: (sql) => lockMessage(sql, key),
  lockMessages: (sql) => lockMessages(sql, { accountIds: [1, 1], ids: [FIRST_ID, FIRST_ID + 1] }),
  updateToCancelled: (sql) => updateToCancelled(sql, { ...key, cancelled: 0, refunded: 0 }),
  countMessages: (sql) => countMessages(sql, { accountId: 1, search: 'Bon' }),
  listMessagesOfPage: (sql) => listMessagesOfPage(sql, { accountId: 1, search: 'Bon' }, window),
  eraseContents: (sql) => eraseContents(sql, { accountId: 1, ids: [FIRST_ID] }),
  deleteMessages: (sql) => deleteMessages(sql, [key]),
  findWriter: (sql) => findWriter(sql, { accountId: 1, messageId: FIRST_ID }),
  listOldMessages: (sql) => listOldMessages(sql, { days: 1, after: WALK_BEGIN, limit: 10 }),
  lockOver: (sql) => lockOver(sql, [key]),
  listLeftMessages: (sql) =>
    listLeftMessages(sql, { kind: 'messages', firstId: FIRST_ID, endId: FIRST_ID + 10 } as never, 10)
}

/** Undoes what a statement did. */
class Undo extends Error {}

test('every statement on a table that is distributed or known to Citus runs on a cluster', async (t) => {
  const { url, drop } = await createDatabase('begun')
  const pool = connect({ url, applicationName: 'statements', connectionsMax: 1 })
  atEnd(t, async () => {
    await pool.close(1)
    await drop()
  })
  await readShape(pool)
  assert.equal(isDistributed(), true)
  const [shards] = await pool<{ shards: number[] }[]>`
    select array_agg(get_shard_id_for_distribution_column('recipients', id)::integer order by place) as shards
    from unnest(${ACCOUNT_IDS as unknown as number[]}::bigint[]) with ordinality as given (id, place)
  `
  const [first, same, other] = shards?.shards ?? []
  assert.ok(first === same && first !== other, 'accounts of one shard, and of two')
  await fill(pool)
  const refused: string[] = []
  for (const [name, run] of Object.entries({ ...STATEMENTS, ...OTHERS })) {
    // More often than PostgreSQL plans a statement anew before it considers a plan for all values.
    for (let time = 0; time < 7; time++) {
      const error = await pool
        .begin(async (sql) => {
          await run(sql)
          throw new Undo()
        })
        .catch((error: Error) => error)
      if (error instanceof Undo) continue
      refused.push(`${name}: ${(error as Error).message}`)
      break
    }
  }
  assert.deepEqual(refused, [])
})

async function fill(pool: ReturnType<typeof connect>): Promise<void> {
  await pool.begin(async (sql) => {
    await insertMessages(
      sql,
      keys.map(({ accountId, messageId: id }) => ({
        ...{ accountId, id, channel: 'sms', category: 'transactional', state: 'sending', content: 'Bonjour' },
        ...{ sender: '36111', externalId: null, scheduledAt: new Date(), recipientsCount: 1, segmentsCount: 1 },
        ...{ creditsRequired: 1, shorturlMode: null, shorturlUrl: null, resendOf: null, options: null },
        ...{ name: null, tags: null, replaces: null, trace: null }
      }))
    )
    await insertRecipients(
      sql,
      keys.map((key) => ({ ...recipient, ...key }))
    )
    await insertList(sql, { accountId: 1, name: 'One' })
    await upsertContacts(sql, { ...list, contacts: [{ phone }] })
    await updateAfterAdding(sql, { accountId: 1, id: 1 }, { count: 1, firstId: 1 })
  })
}
