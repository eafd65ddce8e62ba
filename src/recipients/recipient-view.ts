import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

const recipientFields = {
  id: Type.Integer(),
  recipient: Type.String({ description: 'The number, in E.164.' }),
  credits_required: Type.Integer(),
  country_code: Type.String(),
  deliver: Type.Integer({
    minimum: 0,
    maximum: 8,
    description:
      '0 waiting, 1 delivered, 2 sent, 3 failed, 4 expired, 5 rejected, 6 cancelled, 7 stopped (opted out), 8 read.'
  }),
  deliver_label: Type.String(),
  errorcode: Type.String({ description: 'Empty when there is none.' }),
  content: Type.String({ description: 'The text this person got.' }),
  sent_at: Nullable(Type.String({ format: 'date-time' })),
  delivered_at: Nullable(Type.String({ format: 'date-time' }))
}

/** One recipient of an SMS message. */
export const SmsRecipientView = Type.Object(recipientFields, { $id: 'Messages_sms' })

/** One recipient of an RCS message; `channel` is `sms` after a fallback. */
export const RcsRecipientView = Type.Object(
  {
    ...recipientFields,
    channel: Type.Enum(['rcs', 'sms']),
    read_at: Nullable(Type.String({ format: 'date-time' }))
  },
  { $id: 'Messages_rcs' }
)

export const SmsRecipientPage = Paginated(SmsRecipientView, 'MessagesDestinatairesRo')
export const RcsRecipientPage = Paginated(RcsRecipientView, 'MessagesDestinatairesRcsRo')

export const recipientExample: Static<typeof SmsRecipientView> = {
  id: 90,
  recipient: '+33639980001',
  credits_required: 1,
  country_code: 'FR',
  deliver: 1,
  deliver_label: 'delivered',
  errorcode: '',
  content: 'Bonjour',
  sent_at: '2026-11-15T09:30:00.000Z',
  delivered_at: '2026-11-15T09:30:02.000Z'
}

export const rcsRecipientExample: Static<typeof RcsRecipientView> = {
  ...recipientExample,
  deliver: 8,
  deliver_label: 'read',
  channel: 'rcs',
  read_at: '2026-11-15T09:31:00.000Z'
}
