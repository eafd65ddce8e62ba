import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import {
  giveUp,
  magic,
  rbmIdsOf,
  readBalances,
  readRcsRecipients,
  sendRcs,
  startRcs,
  untilEventsDone,
  untilRcsSummary
} from '../messages/rcs.ts'
import { readMessage } from '../messages/sending.ts'
import { fileForm } from '../service/file-form.ts'
import { makePriceList, priceFile } from '../service/price-lists.ts'
import { test } from '../service/service.ts'

const [OFFLINE = ''] = magic('08')
const [WITHOUT_RCS = ''] = magic('07')

test('an RCS that falls back pays the SMS by the list that it was accepted with, whatever list counts by then', async (t) => {
  const service = await startRcs(t)
  const { operator } = service
  const account = await service.newAccount({ credits: 100 })
  const first = await makePriceList(operator, 'First', 'sms,*,3', 'rcs_basic,*,4', 'rcs_single,*,6')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: first })
  const id = await sendRcs(account, [OFFLINE], { type: 'card', data: { title: 'Bonjour' } })
  await untilRcsSummary(account, id, { sent: 1 })
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 94 })

  const dearer = fileForm(priceFile('sms,*,30', 'rcs_basic,*,40', 'rcs_single,*,60'))
  await operator.expect(200).post(`/price-lists/${first}/versions`, dearer)
  const other = await makePriceList(operator, 'Other', 'sms,*,7', 'rcs_basic,*,8', 'rcs_single,*,9')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: other })
  await giveUp(service)
  await untilRcsSummary(account, id, { delivered: 1 })
  const [recipient] = await readRcsRecipients(account, id)
  assert.deepEqual([recipient?.channel, recipient?.credits_required], ['sms', 3])
  assert.deepEqual(await readBalances(account), { sms: 97, rcs: 100 })

  const later = await sendRcs(account, [WITHOUT_RCS])
  await untilRcsSummary(account, later, { delivered: 1 })
  const { credits_required, credits_refunded } = await readMessage(account, later)
  assert.deepEqual([credits_required, credits_refunded], [8 + 7, 8])
  assert.deepEqual(await readBalances(account), { sms: 90, rcs: 100 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a phone that answers an RCS opens a conversation: what follows costs its price together, and the rest comes back by itself', async (t) => {
  const service = await startRcs(t)
  const { operator, rbm } = service
  const account = await service.newAccount({ credits: 100 })
  const prices = ['sms,*,1', 'rcs_basic,*,4', 'rcs_single,*,6', 'rcs_conversation,*,7']
  const list = await makePriceList(operator, 'Conversations', ...prices)
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: list })
  const [phone = ''] = magic('13')
  await untilRcsSummary(account, await sendRcs(account, [phone]), { delivered: 1 })
  service.phones.reply({ from: phone, to: rbm.agentId, content: 'Oui' })
  await eventually(async () => assert.equal((await service.pool`select from rcs_conversations`).length, 1))
  for (let count = 0; count < 3; count++) {
    await untilRcsSummary(account, await sendRcs(account, [phone]), { delivered: 1 })
  }
  await eventually(async () => {
    await service.pool`update rcs_conversations set settle_at = now()`
    assert.deepEqual(await readBalances(account), { sms: 100, rcs: 100 - 4 - 7 })
  })
  await assertLedgerHolds(service.pool)
})

test('a sub-account that spends its parent’s credits falls back and converses at its parent’s prices, also from the middle of a message on', async (t) => {
  const service = await startRcs(t)
  const { operator, rbm, pool } = service
  const parent = await service.newAccount({ credits: 100 })
  const child = await parent.newSubAccount({ credits: 20 })
  await parent.expect(200).put(`/subaccount/${child.id}/credits/add`, { credits: 20, msgType: 2 })
  const list = (name: string, sms: number, rcs: number, conversation: number) => [
    name,
    `sms,*,${sms}`,
    `rcs_basic,*,${rcs}`,
    `rcs_single,*,${rcs}`,
    `rcs_conversation,*,${conversation}`
  ]
  const parents = await makePriceList(operator, ...(list('Parent', 2, 4, 5) as [string]))
  await operator.expect(200).put(`/accounts/${parent.id}/price-list`, { price_list: parents })
  const childs = await makePriceList(parent, ...(list('Child', 3, 7, 9) as [string]))
  await parent.expect(200).put(`/subaccount/${child.id}/price-list`, { price_list: childs })
  const [phone = ''] = magic('08')
  const id = await sendRcs(child, [phone])
  await untilRcsSummary(child, id, { sent: 1 })
  assert.deepEqual(await readBalances(child), { sms: 20, rcs: 13 })

  const setMode = (credits_mode: string) =>
    parent.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode })
  await setMode('parent')
  await giveUp(service)
  await untilRcsSummary(child, id, { delivered: 1 })
  const [recipient] = await readRcsRecipients(child, id)
  assert.equal(recipient?.credits_required, 2, 'the parent pays the SMS, by its own list')
  assert.deepEqual(await readBalances(parent), { sms: 80 - 2, rcs: 80 })

  await rbm.sendEvent({ phone, text: 'Oui' })
  await untilEventsDone(service)
  const [{ price }] = await pool<[{ price: number }]>`select price from rcs_conversations`
  assert.equal(price, 5)
  service.rbm.apply(`phone ${phone} is online`)
  for (let count = 0; count < 2; count++) {
    await untilRcsSummary(child, await sendRcs(child, [phone]), { delivered: 1 })
  }
  await setMode('self')
  await eventually(async () => {
    await pool`update rcs_conversations set settle_at = now()`
    assert.deepEqual(await readBalances(parent), { sms: 78, rcs: 80 - 5 }, 'the difference comes back to the payer')
  })
  assert.deepEqual(await readBalances(child), { sms: 20, rcs: 20 })
  await assertLedgerHolds(pool)
})

test('a conversation covers an RCS that arrived after it fell back: what it took again comes back, and nothing of others', async (t) => {
  const service = await startRcs(t)
  const { operator, rbm } = service
  const account = await service.newAccount({ credits: 100 })
  const prices = ['sms,*,1', 'rcs_basic,*,4', 'rcs_single,*,6', 'rcs_conversation,*,7']
  const list = await makePriceList(operator, 'Conversations', ...prices)
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: list })
  const [phone = '', other = ''] = magic('08', 2)
  await untilRcsSummary(account, await sendRcs(account, [phone, other]), { sent: 2 })
  await rbm.sendEvent({ phone, text: 'Oui' })
  await untilEventsDone(service)
  assert.equal((await service.pool`select from rcs_conversations`).length, 1)
  const ids = [await sendRcs(account, [other, phone]), await sendRcs(account, [phone, other])]
  for (const id of ids) await untilRcsSummary(account, id, { sent: 2 })
  await service.smsc.stop()
  await giveUp(service)
  for (const id of ids) await untilRcsSummary(account, id, { waiting: 2 })
  assert.deepEqual(await readBalances(account), { sms: 94, rcs: 100 })
  for (const messageId of rbmIdsOf(service, phone).slice(1)) {
    await rbm.sendEvent({ phone, eventType: 'DELIVERED', messageId })
  }
  for (const id of ids) await untilRcsSummary(account, id, { waiting: 1, delivered: 1 })
  await eventually(async () => {
    await service.pool`update rcs_conversations set settle_at = now()`
    assert.deepEqual(await readBalances(account), { sms: 96, rcs: 100 - 7 })
  })
  await assertLedgerHolds(service.pool)
})
