import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { bindForeign, ERRORS, type ForeignClient } from '../../simulator/smpp/foreign-client.ts'
import { DELIVERED, NO_SENDER, startCustomer } from '../../test/service/smpp-customer.ts'

/* Binds in company: several services, several credentials, other data of the account. */

/** Messages stay where they are. */
const WITHOUT_DELIVERY = { CHAPPE_ROLES: 'api,smpp' }

/** Submits one of two parts. */
function submitHalf(client: ForeignClient, position: number, fields: Record<string, unknown> = {}) {
  const sar = { sar_msg_ref_num: 700, sar_total_segments: 2, sar_segment_seqnum: position }
  return client.submit(DELIVERED, `half ${position}`, { ...NO_SENDER, ...sar, ...fields })
}

test('erasing a number removes the parts of long messages to it, however the number was written', async (t) => {
  const { service, account, address, credentials } = await startCustomer(t, {}, { settings: WITHOUT_DELIVERY })
  const client = await bindForeign(t, address, credentials)
  const accepted = [
    await submitHalf(client, 1, { dest_addr_ton: 2, destination_addr: '0639980013' }),
    await submitHalf(client, 1, { sar_msg_ref_num: 701 }),
    await submitHalf(client, 2, { sar_msg_ref_num: 701 }),
    await submitHalf(client, 1, { destination_addr: '33639980014' })
  ]
  assert.deepEqual(
    accepted.map(({ command_status }) => command_status),
    [0, 0, 0, 0]
  )
  assert.equal(
    (await submitHalf(client, 1, { destination_addr: '33999' })).command_status,
    ERRORS.ESME_RINVDSTADR,
    'a part to no phone number would never become a message'
  )
  const { body } = await account.expect(200).delete(`/contacts/by-number/+${DELIVERED}`)
  assert.deepEqual([body.messages, body.messages_under_way], [0, 1])
  const listNumbers = () => service.pool`select destination, fields -> 'to' as "to" from smpp_parts`
  assert.deepEqual([...(await listNumbers())], [{ destination: '+33639980014', to: ['+33639980014'] }])
  const other = await account.expect(200).delete('/contacts/by-number/+33639980014')
  assert.equal(other.body.message, 'The number was erased.')
  assert.equal((await submitHalf(client, 2)).command_status, 0)
  const { body: messages } = await account.expect(200).get('/messages')
  assert.deepEqual(
    messages.items.map(({ content }: { content: string }) => content),
    ['half 1half 2'],
    'the other half of an erased part makes no message'
  )
})
