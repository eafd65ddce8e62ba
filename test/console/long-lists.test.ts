import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { windowOf } from '../../console/src/ui/window-of.ts'
import { openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('of a list of any length the rows in sight are there, none is skipped, and the last can be reached', () => {
  const view = fc.record({
    count: fc.integer({ min: 1, max: 5_000_000 }),
    rowHeight: fc.integer({ min: 20, max: 80 }),
    share: fc.double({ min: 0, max: 1, noNaN: true })
  })
  fc.assert(
    fc.property(view, ({ count, rowHeight, share }) => {
      const fullHeight = Math.min(count * rowHeight, 8_000_000)
      const bodyHeight = Math.min(560, count * rowHeight)
      const scrollTop = Math.round(share * (fullHeight - bodyHeight))
      const { first, last, offset } = windowOf({ scrollTop, bodyHeight, fullHeight, rowHeight, count })
      assert.ok(first >= 0 && last <= count && first < last)
      assert.ok(offset <= scrollTop, 'the first row begins above what is seen')
      const bottom = offset + (last - first) * rowHeight
      assert.ok(bottom >= scrollTop + bodyHeight || last === count, 'and the last ends below it')
      if (share === 0) assert.equal(first, 0)
      if (share === 1) assert.equal(last, count)
    })
  )
})

test('a list of 300,000 contacts scrolls to its end', async (t) => {
  const { url, operator, pool } = await startService(t)
  const { body: list } = await operator.expect(200).post('/contactlists', { name: 'Everybody' })
  await pool`
    insert into contacts (account_id, id, list_id, phone, last_name)
    select ${operator.id}, 1000000 + place, ${list.id}, '+336' || lpad(place::text, 8, '0'), 'Person ' || place
    from generate_series(1, 300000) as place
  `
  await pool`update contact_lists set contacts_count = 300000 where id = ${list.id}`
  const page = await openConsole(t, { url, as: operator, path: `/contacts/${list.id}` })
  const table = page.getByRole('table')
  await table.getByText('Person 300000', { exact: true }).waitFor()
  assert.equal(await table.getAttribute('aria-rowcount'), '300001')
  await table.getByRole('rowgroup').nth(1).focus()
  await page.keyboard.press('End')
  await table.getByText('Person 1', { exact: true }).waitFor()
  const shown = await table.getByRole('row').count()
  assert.ok(shown < 40, `${shown} rows are in the page`)
})
