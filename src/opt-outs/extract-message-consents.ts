import Type, { type Static } from 'typebox'
import { CONSENT_SOURCES, MARKETING } from '../consents/consent.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { extract } from '../http/extract.ts'
import { findMessage, type MessageKey } from '../messages/messages.store.ts'
import { readRecipientChunks } from '../recipients/recipient-chunks.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type ConsentAt, findPeopleTime, listConsentsAt } from './opt-outs.store.ts'

const Moment = Nullable(Type.String({ format: 'date-time' }))

/** A recipient, and the consent that the message to them stood on. */
const MessageConsent = Type.Object(
  {
    // First, because a line of CSV that begins with a + can be taken for a formula.
    consent_id: Nullable(Type.Integer({ description: 'Null for a person without a consent at that time.' })),
    recipient: Type.String({ description: 'The number, in E.164; empty once it was erased.' }),
    given_at: Moment,
    source: Nullable(Type.Enum(CONSENT_SOURCES)),
    wording: Nullable(Type.String()),
    proof: Nullable(Type.String()),
    withdrawn_at: Moment
  },
  { $id: 'MessageConsent' }
)

export const extractMessageConsents = extract({
  route: 'GET /messages/{id}/consents',
  id: 'extractMessageConsents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Consents that a message stood on',
  description:
    'Every recipient of a message, in the order they were given, with the consent for marketing that held when the message was accepted or, of a scheduled message to segments, when it departed: as JSON or, with `Accept: text/csv`, as CSV. The proof of a campaign.',
  row: MessageConsent,
  example: {
    answer: [
      {
        consent_id: 12,
        recipient: '+33639980013',
        given_at: '2026-11-14T10:02:00.000Z',
        source: 'form',
        wording: 'J’accepte de recevoir les offres de la boutique par SMS et RCS.',
        proof: 'https://boutique.example/inscriptions/8812',
        withdrawn_at: null
      }
    ]
  },
  mayLag: true,
  handle: ({ caller, params, database }) => readConsents(database, { accountId: caller.accountId, id: params.id })
})

async function* readConsents(sql: Sql, key: MessageKey) {
  const message = await findMessage(sql, key)
  const at = await findPeopleTime(sql, key)
  if (!message || !at) throw notFound('message')
  const { channel } = message
  for await (const recipients of readRecipientChunks(sql, key, message)) {
    const phones = recipients.map(({ phone }) => phone)
    const found = await listConsentsAt(sql, { accountId: key.accountId, phones, at, channel, purpose: MARKETING })
    const byPhone = new Map(found.map((consent) => [consent.phone, consent]))
    yield phones.map((phone) => toRow(phone, byPhone.get(phone)))
  }
}

function toRow(phone: string, consent: ConsentAt | undefined): Static<typeof MessageConsent> {
  return {
    consent_id: consent?.id ?? null,
    recipient: phone,
    given_at: consent?.givenAt.toISOString() ?? null,
    source: (consent?.source as Static<typeof MessageConsent>['source']) ?? null,
    wording: consent?.wording ?? null,
    proof: consent?.proof ?? null,
    withdrawn_at: consent?.withdrawnAt?.toISOString() ?? null
  }
}
