import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { readMessage, send, untilReady } from '../../test/messages/sending.ts'
import type { ApiClient } from '../../test/service/api-client.ts'
import { addPerson, logIn } from '../../test/service/people.ts'
import { startService, test } from '../../test/service/service.ts'
import { NO_LIMITS } from '../http/limit.ts'
import { raiseOfLook, tellNobody } from '../limits/raise-alerts.ts'
import { noticeCampaigns } from '../messages/campaign-notices.ts'
import { deleteNoticesOf, deleteOldNotices } from './notices.store.ts'

type Seen = Record<'kind' | 'subject' | 'name', string> & { id: number; value: number; is_read: boolean }

const noticesOf = async (client: ApiClient, query = ''): Promise<Seen[]> =>
  (await client.expect(200).get(`/notices${query}`)).body.items

const linesOf = async (client: ApiClient, query = '') =>
  (await noticesOf(client, query)).map(({ kind, subject, name, value }) => `${kind} ${subject} ${name} ${value}`)

const unreadOf = async (client: ApiClient): Promise<number> =>
  (await client.expect(200).get('/notices?unread=true&limit=1')).body.meta.totalItems

test('the end of a campaign is told once; that of a code, or of a message to a few, is not', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  await untilReady(service)
  const account = await service.newAccount({ credits: 100 })
  const few = ['+33639980001', '+33639980002']
  const others = [await send(account, { recipients: few }), await send(account, { recipients: [few[0]], name: 'Code' })]
  const named = await send(account, { recipients: few, name: 'Soldes' })
  const large = await send(account, {
    recipients: Array.from({ length: 51 }, (_, index) => `+3363998${String(1000 + index)}`)
  })
  await eventually(async () => {
    assert.deepEqual((await linesOf(account)).sort(), [
      `campaign_finished ${named} Soldes 2`,
      `campaign_finished ${large}  51`
    ])
  })
  for (const id of others) {
    await eventually(async () => assert.equal((await readMessage(account, id)).summary.waiting, 0))
  }
  // A campaign that fell back from RCS to SMS is over a second time.
  const again = { accountId: account.id, messageId: named, name: 'Soldes', recipientsCount: 2 }
  await noticeCampaigns(service.pool, [{ ...again, kind: 'campaign_finished' }])
  assert.equal((await noticesOf(account)).length, 2)
  // Late is something else.
  await noticeCampaigns(service.pool, [{ ...again, kind: 'campaign_late' }])
  assert.equal((await linesOf(account, '?limit=1'))[0], `campaign_late ${named} Soldes 2`)
})

test('balances, limits and requests for credits are told to the account that has to know, and to no other', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount({ credits: 100 })
  const [child, stranger] = [await parent.newSubAccount(), await service.newAccount()]
  await service.operator.expect(200).put(`/accounts/${parent.id}/limits`, { credits_per_day: 10 })
  await parent.expect(200).put('/users/me', { settings: { balance_alert_sms: 95 } })
  await send(parent, { recipients: Array.from({ length: 8 }, (_, index) => `+3363998000${index}`) })
  const raise = () => service.pool.begin((sql) => raiseOfLook(sql, 'uses', { defaults: NO_LIMITS, tell: tellNobody }))
  await eventually(async () => {
    await Promise.all([raise(), raise()])
    assert.deepEqual((await linesOf(parent)).sort(), ['balance sms SMS 92', 'limit credits_per_day credits_per_day 8'])
  })
  const [given, declined, withdrawn] = await Promise.all(
    [40, 7, 3].map(async (credits) => (await child.expect(200).post('/credit-requests', { credits })).body.id)
  )
  await parent.expect(200).put(`/credit-requests/received/${given}`, { state: 'given' })
  await parent.expect(200).put(`/credit-requests/received/${declined}`, { state: 'declined' })
  await child.expect(200).delete(`/credit-requests/${withdrawn}`)
  const asked = (await linesOf(parent)).filter((line) => line.startsWith('credits_'))
  assert.deepEqual(asked.sort(), [
    ...[`credits_asked ${given} SMS 40`, `credits_asked ${declined} SMS 7`, `credits_asked ${withdrawn} SMS 3`].sort()
  ])
  assert.deepEqual(await linesOf(child), [`credits_declined ${declined} SMS 7`, `credits_given ${given} SMS 40`])
  assert.deepEqual(await linesOf(stranger), [])
})

test('what somebody has read is read in every browser, and by nobody else', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount()
  const tell = (messageId: number) =>
    noticeCampaigns(pool, [
      { accountId: account.id, messageId, name: 'Soldes', recipientsCount: 2, kind: 'campaign_finished' }
    ])
  await tell(1)
  const owner = await logIn(service, account)
  const other = await addPerson(service, { accountId: account.id, role: 'reader' })
  assert.deepEqual([await unreadOf(owner), await unreadOf(other)], [1, 0], 'from before they joined')
  await tell(2)
  await tell(3)
  assert.deepEqual([await unreadOf(owner), await unreadOf(other)], [3, 2])
  const [newest, middle] = await noticesOf(owner)
  assert.deepEqual((await owner.expect(200).put('/notices/read', { id: middle?.id })).body, { unread: 1 })
  const elsewhere = await logIn(service, account)
  assert.deepEqual(
    (await noticesOf(elsewhere)).map(({ subject, is_read }) => [subject, is_read]),
    [
      ['3', false],
      ['2', true],
      ['1', true]
    ]
  )
  assert.deepEqual(await linesOf(elsewhere, '?unread=false'), [
    'campaign_finished 2 Soldes 2',
    'campaign_finished 1 Soldes 2'
  ])
  assert.equal(await unreadOf(other), 2)

  // Of two browsers at once the one that has read further counts; an id that is not there yet hides nothing that comes.
  await Promise.all([
    owner.expect(200).put('/notices/read', { id: Number.MAX_SAFE_INTEGER }),
    elsewhere.expect(200).put('/notices/read', { id: middle?.id })
  ])
  assert.equal(await unreadOf(owner), 0)
  await tell(4)
  assert.equal(await unreadOf(owner), 1)

  // A key reads for nobody, and neither does another account.
  await account.expect(403).put('/notices/read', { id: newest?.id })
  assert.equal(await unreadOf(account), 4)
  const stranger = await logIn(service, await service.newAccount())
  await stranger.expect(200).put('/notices/read', { id: newest?.id })
  assert.deepEqual([await unreadOf(owner), await unreadOf(stranger)], [1, 0])
  for (const id of [0, -1, 1.5, 'x', undefined]) await owner.expect(400).put('/notices/read', { id })

  // They are kept as long as messages, and go with the account.
  await pool`update notices set created_at = created_at - interval '10 days' where subject in ('1', '2')`
  assert.equal(await deleteOldNotices(pool, { days: 9, limit: 100 }), 2)
  await deleteNoticesOf(pool, [account.id])
  assert.deepEqual(await noticesOf(owner), [])
})
