import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { RcsCard, RcsCarousel, RcsChoice } from '../rcs/rcs-content.ts'
import { inboxFrom } from './inbox.ts'
import type { SandboxPhones } from './phones.ts'

const PhoneMessageView = Type.Object(
  {
    channel: Type.Enum(['sms', 'rcs']),
    from: Type.String({ description: 'What the phone shows as the sender.' }),
    content: Type.String({ description: 'The text, its parts joined; of an RCS what it says in plain words.' }),
    card: Type.Optional(RcsCard),
    carousel: Type.Optional(RcsCarousel),
    choices: Type.Optional(Type.Array(RcsChoice, { description: 'What can be tapped below the text of an RCS.' })),
    message_id: Type.Integer(),
    received_at: Type.String({ format: 'date-time' })
  },
  { $id: 'SandboxMessage' }
)

export function readPhone(phones: SandboxPhones) {
  return operation({
    route: 'GET /sandbox/phones/{number}',
    id: 'readPhone',
    tag: 'Beyond',
    permission: 'read',
    summary: 'What a virtual phone received (sandbox)',
    description:
      'What this phone received from your account, newest first, up to the last 100. Only in the sandbox, which keeps nothing over a restart.',
    answer: Type.Object({ items: Type.Array(PhoneMessageView) }),
    example: {
      answer: {
        items: [
          {
            channel: 'rcs',
            from: 'sandbox@rbm.goog',
            content: 'Soldes',
            card: { title: 'Soldes', choices: [{ type: 'text', text: 'Oui' }] },
            message_id: 8,
            received_at: '2026-11-15T09:35:00.000Z'
          },
          {
            channel: 'sms',
            from: 'CHAPPE',
            content: 'Bonjour',
            message_id: 7,
            received_at: '2026-11-15T09:30:00.000Z'
          }
        ]
      }
    },
    refusals: { invalid_input: 'That is not a phone number.' },
    async handle({ caller, params, database }) {
      const phone = readNumber(params.number, caller.country)
      const inbox = await inboxFrom(database, phones, { accountId: caller.accountId, phone })
      return {
        items: inbox.map(({ channel, from, content, card, carousel, choices, messageId, receivedAt }) => ({
          channel,
          from,
          content,
          ...(card && { card }),
          ...(carousel && { carousel }),
          ...(choices && { choices }),
          message_id: messageId,
          received_at: receivedAt.toISOString()
        }))
      }
    }
  })
}
