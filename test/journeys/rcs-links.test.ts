import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  giveUp,
  magic,
  type RcsService,
  readRcsRecipients,
  sendRcs,
  startRcs,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage } from '../messages/sending.ts'
import { test } from '../service/service.ts'

/** A person with a phone. */
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36',
  'accept-language': 'fr-FR'
}

async function open(link: string): Promise<{ status: number; location: string | null }> {
  const answer = await fetch(link, { redirect: 'manual', headers: BROWSER })
  await answer.arrayBuffer()
  return { status: answer.status, location: answer.headers.get('location') }
}

/** It has been there for a while: people need a moment. */
async function letTimePass({ pool }: RcsService): Promise<void> {
  const at = new Date(Date.now() - 60_000)
  await pool`update recipients set sent_at = ${at} where sent_at is not null`
  await pool`update recipients set delivered_at = ${at} where delivered_at is not null`
}

const linkIn = (content = '') => /http:\S+\/s\/\w{10}/.exec(content)?.[0] ?? ''

test('variables and the link of each person are the same in the card and in the SMS; a click counts once, whichever it came by', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 20 })
  await account.expect(200).get('/events?types=clicks') // From now on they are kept.
  const [[reached = ''], [without = ''], [offline = '']] = [mobiles(1), magic('07'), magic('08')]
  const names = ['Léa', 'L’Anne', 'Zoé']
  const phones = [reached, without, offline]
  const id = await sendRcs(account, [], {
    contacts: phones.map((recipient, index) => ({ recipient, prenom: names[index] })),
    type: 'card',
    data: {
      title: 'Bonjour #prenom#',
      description: 'Votre colis est prêt.',
      choices: [{ type: 'url', title: 'Suivre', url: '#SHORTURL#' }]
    },
    fallback: { content: 'Bonjour #prenom#, votre colis : #SHORTURL#', sender: 'CHAPPE' },
    shorturl: { mode: 'unique', url: 'https://shop.example/colis?client=#prenom#' }
  })
  await untilRcsSummary(account, id, { delivered: 2, sent: 1 })

  const card = service.phones.inboxOf(reached)[0]?.card
  assert.equal(card?.title, 'Bonjour Léa')
  const [choice] = card?.choices ?? []
  const shown = choice?.type === 'url' ? choice.url : ''
  const written = service.phones.inboxOf(without)[0]?.content ?? ''
  assert.match(written, /^Bonjour L'Anne, votre colis : http:\S+$/, 'written as an SMS writes it')

  const taken = service.rbm.received.get(offline)?.[0]?.body
  await giveUp(service)
  await untilRcsSummary(account, id, { delivered: 3 })
  const instead = linkIn(service.phones.inboxOf(offline)[0]?.content)
  assert.equal(linkIn(JSON.stringify(taken)), instead, 'the SMS has the link that the card had')
  assert.equal(new Set([shown, linkIn(written), instead]).size, 3, 'each has their own')

  await letTimePass(service)
  for (const [link, name] of [
    [shown, names[0]],
    [linkIn(written), names[1]],
    [instead, names[2]],
    [instead, names[2]]
  ]) {
    const location = `https://shop.example/colis?client=${encodeURIComponent(name ?? '')}`
    assert.deepEqual(await open(link ?? ''), { status: 302, location })
  }
  await eventually(async () => assert.equal((await readMessage(account, id)).clicked, 3))
  await eventually(async () => {
    const { body } = await account.expect(200).get('/events?types=clicks')
    const told = body.items.map(({ data }: { data: { recipient: string } }) => data.recipient)
    assert.deepEqual(told.toSorted(), phones.toSorted())
  })
  const recipients = await readRcsRecipients(account, id)
  assert.deepEqual(
    recipients.map(({ channel }) => channel),
    ['rcs', 'sms', 'sms']
  )
  assert.equal(recipients[2]?.content, `Bonjour Zoé, votre colis : ${instead}`)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
