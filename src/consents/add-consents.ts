import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { createLeftOut } from '../spreadsheets/left-out.ts'
import { createBreath } from '../workers/breath.ts'
import { consentFields, MARKETING, type NewConsent } from './consent.ts'
import { insertConsents } from './consents.store.ts'
import { ConsentsAddedView, toAddedMessage } from './consents-added.ts'
import { givenAtProblem } from './given-at.ts'

const CONSENTS_MAX = 10_000
const BODY_BYTES_MAX = 16 * 1024 * 1024

const Entry = Type.Object(
  { recipient: Type.String({ maxLength: 255, description: 'The phone number.' }), ...consentFields },
  { $id: 'ConsentGiven' }
)

export const addConsents = operation({
  route: 'POST /consents',
  id: 'addConsents',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Add consents',
  description:
    'Records that people agreed to be written to: when, where, to which wording, with which proof. A consent that holds already, for the same purpose and channel, stays as it is and is counted as existing. A consent does not lift a STOP. Entries without a valid number are counted and left out.',
  body: Type.Object({ consents: Type.Array(Entry, { minItems: 1, maxItems: CONSENTS_MAX }) }, { $id: 'ConsentsDto' }),
  bodyBytesMax: BODY_BYTES_MAX,
  answer: ConsentsAddedView,
  example: {
    body: {
      consents: [
        {
          recipient: '06 39 98 00 13',
          source: 'form',
          given_at: '2026-11-14T10:02:00Z',
          wording: 'J’accepte de recevoir les offres de la boutique par SMS et RCS.',
          proof: 'https://boutique.example/inscriptions/8812'
        }
      ]
    },
    answer: {
      success: true,
      message: '1 consents added, 0 there already, 0 invalid.',
      added: 1,
      existing: 0,
      invalid: 0,
      errors: []
    }
  },
  async handle({ caller: { accountId, country }, body, database, record }) {
    const { consents, count, leftOut } = await readConsents(body.consents, country)
    const added = await database.begin(async (database) => {
      const added = await insertConsents(database, { accountId, consents })
      await record(database, { changes: { added: [0, added] } })
      return added
    })
    const counts = { added, existing: count - added, invalid: leftOut.invalid }
    return { success: true, message: toAddedMessage(counts), ...counts, errors: leftOut.errors() }
  }
})

/** Of entries for one number, purpose and channel the first counts; the others exist then. */
async function readConsents(entries: readonly Static<typeof Entry>[], country: string) {
  const now = databaseNow()
  const consents = new Map<string, NewConsent>()
  const problems: InputProblem[] = []
  const leftOut = createLeftOut()
  const breathe = createBreath()
  let count = 0
  for (const [index, entry] of entries.entries()) {
    await breathe()
    const givenAt = entry.given_at === undefined ? now : new Date(entry.given_at)
    const message = givenAtProblem(givenAt, now)
    if (message !== undefined) problems.push({ path: `consents[${index}].given_at`, message })
    const phone = parsePhoneNumber(entry.recipient, country)?.e164
    if (phone === undefined) {
      leftOut.addInvalid(index + 1, entry.recipient)
      continue
    }
    count++
    const { purpose = MARKETING, channel = 'all', source = 'api', wording = '', proof = '' } = entry
    const name = `${phone} ${channel} ${purpose}`
    if (!consents.has(name)) consents.set(name, { phone, purpose, channel, source, givenAt, wording, proof })
  }
  if (problems.length > 0) throw invalidInput(problems)
  return { consents: [...consents.values()], count, leftOut }
}
