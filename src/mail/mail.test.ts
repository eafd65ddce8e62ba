import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { startMailbox } from '../../test/peers/mailbox.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { nameInMail, writeMail } from './kinds.ts'
import type { Mail } from './mail.ts'
import { deleteExpiredMails, queueMail } from './mails.store.ts'
import { delayAfter } from './send-mails.ts'

const LINK = 'https://sms.example/app/reset-password#the-token'
const mail = (to = 'lea@boutique.example'): Mail => ({
  to,
  kind: 'password-reset',
  language: 'fr',
  facts: { link: LINK },
  accountId: null,
  expiresAt: new Date(Date.now() + 3_600_000)
})
const storedIn = ({ pool }: TestService) => pool`select id, attempts from mails`
const untilNone = (service: TestService) => eventually(async () => assert.equal((await storedIn(service)).length, 0))

test('a mail leaves in its language, and nothing of it stays in the table', async (t) => {
  const mailbox = await startMailbox(t, { password: 'secret-of-smtp' })
  const service = await startService(t, { settings: mailbox.settings })
  await queueMail(service.pool, mail())
  await untilNone(service)
  assert.equal(mailbox.mails.length, 1)
  const [received] = mailbox.mails
  assert.equal(received?.from, 'no-reply@chappe.example')
  assert.deepEqual(received?.to, ['lea@boutique.example'])
  assert.equal(received?.subject, 'Choisissez un nouveau mot de passe pour Chappe')
  assert.equal(received?.link, LINK)
  assert.match(received?.messageId ?? '', /^<[\w-]+@chappe\.example>$/)
  assert.ok(!service.logLines.join('').match(/secret-of-smtp|the-token|lea@boutique/))
})

test('a mail whose cause is rolled back never leaves', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t, { settings: mailbox.settings })
  const failing = service.pool.begin(async (sql) => {
    await queueMail(sql, mail('nobody@boutique.example'))
    throw new Error('the cause failed')
  })
  await assert.rejects(failing, /the cause failed/)
  await queueMail(service.pool, mail())
  await untilNone(service)
  assert.deepEqual(
    mailbox.mails.map(({ to }) => to),
    [['lea@boutique.example']]
  )
})

test('a mail that the server can’t take now is tried again under the same Message-ID', async (t) => {
  const mailbox = await startMailbox(t)
  // The second answer is lost after the mail was taken: it comes twice, and both copies have one id.
  mailbox.answers.push({ at: 'recipient', code: 451 }, { at: 'after-data' })
  const service = await startService(t, { settings: mailbox.settings })
  await queueMail(service.pool, mail())
  for (const attempts of [1, 2]) {
    await eventually(async () => {
      const [row] = await service.pool`select attempts from mails where leased_until is null and attempts = ${attempts}`
      assert.ok(row)
    })
    await service.pool`update mails set due_at = now()`
  }
  await untilNone(service)
  assert.equal(mailbox.mails.length, 2)
  assert.equal(mailbox.mails[0]?.messageId, mailbox.mails[1]?.messageId)
})

test('a mail that the server refuses for good is dropped and logged, without its address', async (t) => {
  const mailbox = await startMailbox(t)
  mailbox.answers.push({ at: 'recipient', code: 550 }, { at: 'data', code: 554 })
  const service = await startService(t, { settings: mailbox.settings })
  await queueMail(service.pool, mail())
  await queueMail(service.pool, mail('hugo@boutique.example'))
  await untilNone(service)
  assert.equal(mailbox.mails.length, 0)
  await eventually(() => assert.equal(service.logLines.filter((line) => /mail was dropped/.test(line)).length, 2))
  assert.doesNotMatch(service.logLines.join(''), /boutique\.example|the-token/)
})

test('a wrong password of the mail server loses no mail', async (t) => {
  const mailbox = await startMailbox(t, { password: 'right' })
  const settings = { ...mailbox.settings, CHAPPE_SMTP_URL: mailbox.url.replace('right', 'wrong') }
  const service = await startService(t, { settings })
  await queueMail(service.pool, mail())
  await eventually(() => assert.ok(service.logLines.some((line) => /tried again/.test(line) && /EAUTH/.test(line))))
  await service.pool`update mails set due_at = now()`
  await service.startPeer(t, { settings: mailbox.settings })
  // Either process may take its turn first.
  await eventually(
    async () => {
      await service.pool`update mails set due_at = now() where leased_until is null`
      assert.equal(mailbox.mails.length, 1)
    },
    { withinMs: 30_000 }
  )
})

test('several processes send each mail once', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t, { settings: mailbox.settings })
  await service.startPeer(t)
  await service.startPeer(t)
  await service.pool.begin(async (sql) => {
    for (let each = 0; each < 40; each++) await queueMail(sql, mail(`person${each}@boutique.example`))
  })
  await eventually(async () => assert.equal((await storedIn(service)).length, 0), { withinMs: 30_000 })
  const recipients = mailbox.mails.flatMap(({ to }) => to)
  assert.equal(recipients.length, 40)
  assert.equal(new Set(recipients).size, 40)
})

test('a mail whose process died is sent by another when the lease is over', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t)
  await queueMail(service.pool, mail())
  await service.pool`update mails set attempts = 1, leased_until = now() + interval '1 second'`
  await service.startPeer(t, { settings: mailbox.settings })
  await untilNone(service)
  assert.equal(mailbox.mails.length, 1)
})

test('a mail that is too old never leaves, and goes also where no process sends mails', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t)
  await queueMail(service.pool, { ...mail(), expiresAt: new Date(Date.now() - 1_000) })
  await queueMail(service.pool, { ...mail(), expiresAt: new Date(Date.now() - 3_600_000) })
  await deleteExpiredMails(service.pool)
  assert.equal((await storedIn(service)).length, 1)
  await service.startPeer(t, { settings: mailbox.settings })
  await untilNone(service)
  assert.equal(mailbox.mails.length, 0)
})

test('a mail of a kind that this version does not know waits for a newer one', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t, { settings: mailbox.settings })
  await queueMail(service.pool, mail())
  await untilNone(service)
  await queueMail(service.pool, { ...mail(), kind: 'of-tomorrow' as never })
  await eventually(() => assert.ok(service.logLines.some((line) => /unknown kind/.test(line))))
  assert.equal((await storedIn(service)).length, 1)
})

test('every kind of mail has words in both languages, and names are one short line in them', () => {
  const facts = { company: 'Boutique', inviter: 'Léa', link: LINK, days: '7', at: '2026-11-16 08:00 UTC' }
  for (const kind of ['invitation', 'password-reset', 'password-changed']) {
    for (const language of ['en', 'fr'] as const) {
      const words = writeMail(kind, language, facts)
      assert.ok(words && words.subject.length < 78 && words.text.length < 500)
      assert.doesNotMatch(words.subject + words.text, /undefined/)
    }
  }
  assert.equal(writeMail('constructor', 'en', facts), undefined)
  assert.equal(nameInMail(' Boutique\r\nBcc: all@example.com\u202e '), 'Boutique Bcc: all@example.com')
  assert.equal(nameInMail('x'.repeat(255)).length, 60)
})

test('the waits between attempts grow, and the last one is repeated', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 50].map(delayAfter), [5, 15, 60, 300, 900, 900, 900])
})
