import type { Sql } from '../database/database.ts'
import { EXTRACT_CHUNK, extract } from '../http/extract.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { ConsentView, consentExample, toConsentView } from './consent.ts'
import { listConsentsBefore, listConsentsByPhone } from './consents.store.ts'

export const extractConsents = extract({
  route: 'GET /consents/extract',
  id: 'extractConsents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Consents, full extract',
  description: 'All consents, newest first, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  row: ConsentView,
  example: { answer: [consentExample] },
  mayLag: true,
  handle: ({ caller, database }) => readAll(database, caller.accountId)
})

export const extractPersonConsents = extract({
  route: 'GET /consents/by-number/{number}',
  id: 'extractPersonConsents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Consents of a person',
  description:
    'Every consent of a number, newest first, as proof: as JSON or, with `Accept: text/csv`, as CSV. A number that was erased is found by its hash.',
  row: ConsentView,
  example: { answer: [consentExample] },
  refusals: { invalid_input: 'That is not a phone number.' },
  async *handle({ caller: { accountId, country }, params, database }) {
    const phone = readNumber(params.number, country)
    yield (await listConsentsByPhone(database, { accountId, phone })).map(toConsentView)
  }
})

async function* readAll(sql: Sql, accountId: number) {
  let beforeId = Number.MAX_SAFE_INTEGER
  while (true) {
    const consents = await listConsentsBefore(sql, { accountId, beforeId, limit: EXTRACT_CHUNK })
    yield consents.map(toConsentView)
    const last = consents.at(-1)
    if (!last || consents.length < EXTRACT_CHUNK) return
    beforeId = last.id
  }
}
