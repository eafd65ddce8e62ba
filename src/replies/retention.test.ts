import { strict as assert } from 'node:assert'
import { age, end, take } from '../../test/messages/old-messages.ts'
import { mobiles, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { createRemoveMessages } from '../retention/remove-messages.ts'
import { recordReply } from './record-reply.ts'
import { deleteOldReplies } from './retention.store.ts'

const startKeeping = (t: Parameters<typeof startService>[0]) =>
  startService(t, { settings: { CHAPPE_RETENTION_DAYS: '3650' } })

const repliesOf = async (account: TestAccount) =>
  (await account.expect(200).get('/messages/replies')).body.items.map(
    (reply: { message_id: number; content: string }) => [reply.message_id, reply.content]
  )

test('replies of every account go when they have had their time, the oldest first and some at a time', async (t) => {
  const service = await startKeeping(t)
  const accounts = [service.operator, await service.newAccount(), await service.newAccount()]
  for (const { id } of accounts) {
    await service.pool`
      insert into replies (account_id, id, phone, written_to, channel, content, is_stop, created_at)
      select ${id}, nextval('reply_ids'), '+33612000000', '36111', 'sms', n, false,
        now() - interval '402 days 12 hours' + n * interval '1 day'
      from generate_series(1, 5) as n
    `
  }
  const old = { days: 400, limit: 5 }
  assert.deepEqual(
    [await deleteOldReplies(service.pool, old), await deleteOldReplies(service.pool, old)],
    [5, 1],
    'two of each account'
  )
  assert.equal(await deleteOldReplies(service.pool, old), 0)
  for (const account of accounts) {
    assert.deepEqual(await repliesOf(account), [
      [null, '5'],
      [null, '4'],
      [null, '3']
    ])
  }
})

test('a reply to a message that is gone is the operator’s, whatever senders accounts have set', async (t) => {
  const service = await startKeeping(t)
  const account = await service.newAccount({ credits: 10 })
  const [first = '', second = ''] = mobiles(2)
  const id = await send(account, { recipients: [first, second], sender: 'Boutique' })
  await take(service.pool, id)
  await end(service.pool, id)
  await write(service, first, 'Avant')
  await age(service.pool, [id])
  const { hideOld, removeSlice } = createRemoveMessages(service.pool, { days: 400, graceSeconds: 0 })
  await hideOld()
  await write(service, first, 'Pendant')
  while ((await removeSlice()).isMoreDue);
  await write(service, second, 'STOP')
  assert.deepEqual(await repliesOf(account), [[id, 'Avant']])
  assert.deepEqual(await repliesOf(service.operator), [
    [null, 'STOP'],
    [null, 'Pendant']
  ])
  await service.pool`update accounts set default_sender = 'Boutique' where id = ${account.id}`
  await write(service, second, 'Encore')
  assert.deepEqual(await repliesOf(account), [[id, 'Avant']])
  assert.deepEqual((await repliesOf(service.operator))[0], [null, 'Encore'])
})

const write = ({ pool }: TestService, from: string, text: string) =>
  recordReply(pool, { carrier: 'main', from: from.slice(1), to: 'Boutique', text })
