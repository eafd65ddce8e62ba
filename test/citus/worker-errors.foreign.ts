import { strict as assert } from 'node:assert'
import { insertList } from '../../src/contacts/contact-lists.store.ts'
import { upsertContacts } from '../../src/contacts/contacts.store.ts'
import { connect, giveUpInDeadlocks, isBusy, type Sql, violatedConstraint } from '../../src/database/database.ts'
import { readShape } from '../../src/database/shape.ts'
import { insertRecipients } from '../../src/recipients/recipients.store.ts'
import { createDatabase } from '../database/databases.ts'
import { untilWaiting } from '../database/waiting.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

test('what a worker refuses is told as if the coordinator had refused it', async (t) => {
  const { url, drop } = await createDatabase('begun')
  const options = { url, applicationName: 'errors', connectionsMax: 4 }
  const reader = connect(options)
  await readShape(reader)
  const pool = connect(options)
  atEnd(t, async () => {
    await Promise.all([reader.close(1), pool.close(1)])
    await drop()
  })

  const { id: listId } = await insertList(pool, { accountId: 1, name: 'One' })
  await upsertContacts(pool, { accountId: 1, listId, contacts: [{ phone: '+33639980001' }, { phone: '+33639980002' }] })
  const sameNumber = pool`update contacts set phone = '+33639980001' where account_id = 1 and phone = '+33639980002'`
  await assert.rejects(sameNumber, (error) => violatedConstraint(error) === 'contacts_phone_unique')

  // Citus stores such rows by COPY, whose errors lose their code.
  const insert = (sql: Sql, position: number) =>
    insertRecipients(sql, [
      {
        accountId: 1,
        messageId: 1,
        position,
        phone: '+33639980001',
        country: 'FR',
        content: null,
        segments: 1,
        credits: 1
      }
    ])
  const both = [0, 1].map(() => Promise.withResolvers<number>())
  const inserting = both.map(({ resolve }, index) =>
    pool.begin(async (sql) => {
      await insert(sql, index + 1)
      resolve(index)
      await Promise.all(both.map(({ promise }) => promise))
      await insert(sql, 2 - index)
    })
  )
  const refused = (await Promise.allSettled(inserting)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : []
  )
  assert.ok(refused.some(isBusy), String(refused))

  await pool.begin(async (holder) => {
    await holder`select id from contacts where account_id = 1 for update`
    const waiting = pool.begin(async (sql) => {
      await giveUpInDeadlocks(sql)
      await sql`delete from contacts where account_id = 1`
    })
    waiting.catch(() => undefined)
    await untilWaiting(pool, 1)
    await assert.rejects(waiting, { code: '55P03' })
  })
})
