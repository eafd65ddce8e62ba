import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { GSM_CHARACTERS, GSM_EXTENSION_CHARACTERS } from '../gsm/gsm-alphabet.ts'
import type { Encoding } from '../gsm/segments.ts'
import { operation } from '../http/operation.ts'
import { fromNumbers } from './recipient-sources.ts'
import { readSend } from './send.ts'
import type { Sending } from './send-sms.ts'

/*
 * No program can find out which alphabet a carrier means by its default. A carrier with another alphabet accepts
 * everything and shows the wrong letters. Only a person with a phone sees it.
 */

const GSM_SHOWN = [...GSM_CHARACTERS, ...GSM_EXTENSION_CHARACTERS.values()].filter((character) => character >= ' ')

/**
 * Three texts. The first has all GSM characters that a phone shows, in one segment. The second has the characters that
 * GSM shares with Latin-1: a carrier with that alphabet gets them in Latin-1. The third needs Unicode.
 */
const TEXTS: { encoding: Encoding; content: string }[] = [
  { encoding: 'gsm', content: `GSM ${GSM_SHOWN.join('')}` },
  {
    encoding: 'gsm',
    content: `Latin ${GSM_SHOWN.filter((character) => /[@$_\u00a1-\u00ff]/.test(character)).join('')}`
  },
  { encoding: 'ucs2', content: 'Unicode é è à ç € ê œ ŵ Ж 你好 😀' }
]

const TestText = Type.Object({
  message_id: Type.Integer(),
  encoding: Type.Enum(['gsm', 'ucs2']),
  content: Type.String({ description: 'What the phone must show, to the letter.' })
})

export const testCarrier = (sending: Sending) =>
  operation({
    route: 'POST /carriers/{name}/test',
    id: 'testCarrier',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Send a test through a carrier (operator)',
    description:
      'Sends three SMS to a phone that you can look at, through this SMS carrier wherever the routes lead: all characters of the GSM alphabet, those that it shares with Latin-1, and some that need Unicode. A phone that shows others than `content` says that `encoding` in the carriers file is not the carrier’s. They cost what any SMS costs.',
    body: Type.Object({
      recipient: Type.String({ maxLength: 255, description: 'A phone number, national or international.' })
    }),
    answer: Type.Object({ messages: Type.Array(TestText) }, { $id: 'CarrierTest' }),
    example: {
      body: { recipient: '06 39 98 00 13' },
      answer: {
        messages: TEXTS.map((text, index) => ({ message_id: 57 + index, ...text }))
      }
    },
    refusals: {
      ...OPERATOR_ONLY,
      not_found: 'There is no such SMS carrier.',
      insufficient_credits: 'There are not enough credits for three SMS.'
    },
    async handle({ caller, params, body, database, record }) {
      refuseUnlessOperator(caller)
      const route = sending.routing.routeThrough(params.name)
      if (route === undefined) throw notFound('SMS carrier')
      // Replaced typographic characters would prove nothing.
      const context = { caller: { ...caller, typography: false }, author: undefined, ...sending }
      return database.begin(async (database) => {
        const messages = []
        for (const text of TEXTS) {
          const send = await readSend(database, { content: text.content }, context)
          const accepted = await sending.accept(
            database,
            { ...send, route },
            fromNumbers([body.recipient], 'recipient')
          )
          messages.push({ message_id: accepted.message_id, ...text })
        }
        await record(database, { object: { kind: 'carrier', id: params.name } })
        return { messages }
      })
    }
  })
