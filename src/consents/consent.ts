import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

/** The purpose that sends of category `marketing` stand on. */
export const MARKETING = 'marketing'

export const CONSENT_SOURCES = ['form', 'shop', 'import', 'keyword', 'api'] as const
export type ConsentSource = (typeof CONSENT_SOURCES)[number]

/** `all` serves SMS and RCS. */
export const CONSENT_CHANNELS = ['all', 'sms', 'rcs'] as const
export type ConsentChannel = (typeof CONSENT_CHANNELS)[number]

export const PURPOSE_MAX = 64
export const WORDING_MAX = 2_000
export const PROOF_MAX = 2_000

export interface Consent {
  id: number
  /** Null once the number was erased. */
  phone: string | null
  purpose: string
  channel: ConsentChannel
  source: ConsentSource
  givenAt: Date
  wording: string
  proof: string
  withdrawnAt: Date | null
  withdrawal: string | null
  createdAt: Date
}

/** What is stored of a new consent. */
export type NewConsent = Omit<Consent, 'id' | 'withdrawnAt' | 'withdrawal' | 'createdAt' | 'phone'> & { phone: string }

/** The wording and the proof of a consent, as they are given. */
export const consentFields = {
  purpose: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PURPOSE_MAX,
      description: 'What the person agreed to. Sends of category `marketing` need `marketing`, which is the default.'
    })
  ),
  channel: Type.Optional(Type.Enum(CONSENT_CHANNELS, { description: '`all`, the default, serves SMS and RCS.' })),
  source: Type.Optional(Type.Enum(CONSENT_SOURCES, { description: 'Where the person agreed. Default: `api`.' })),
  given_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the person agreed; now unless given, and never later.' })
  ),
  wording: Type.Optional(Type.String({ maxLength: WORDING_MAX, description: 'The words that the person was shown.' })),
  proof: Type.Optional(
    Type.String({ maxLength: PROOF_MAX, description: 'A text or an address that proves it, such as that of a form.' })
  )
}

export const ConsentView = Type.Object(
  {
    id: Type.Integer(),
    recipient: Nullable(Type.String({ description: 'The number, in E.164; null once it was erased.' })),
    purpose: Type.String(),
    channel: Type.Enum(CONSENT_CHANNELS),
    source: Type.Enum(CONSENT_SOURCES),
    given_at: Type.String({ format: 'date-time' }),
    wording: Type.String(),
    proof: Type.String(),
    withdrawn_at: Nullable(Type.String({ format: 'date-time' })),
    withdrawal: Nullable(
      Type.String({ description: 'Why it was withdrawn: `stop`, `erased`, or the reason that was given.' })
    ),
    created_at: Type.String({ format: 'date-time', description: 'When it was stored here.' })
  },
  { $id: 'Consent' }
)

export const ConsentPage = Paginated(ConsentView, 'ConsentPage')

export function toConsentView(consent: Consent): Static<typeof ConsentView> {
  return {
    id: consent.id,
    recipient: consent.phone,
    purpose: consent.purpose,
    channel: consent.channel,
    source: consent.source,
    given_at: consent.givenAt.toISOString(),
    wording: consent.wording,
    proof: consent.proof,
    withdrawn_at: consent.withdrawnAt?.toISOString() ?? null,
    withdrawal: consent.withdrawal,
    created_at: consent.createdAt.toISOString()
  }
}

export const consentExample: Static<typeof ConsentView> = {
  id: 12,
  recipient: '+33639980013',
  purpose: MARKETING,
  channel: 'all',
  source: 'form',
  given_at: '2026-11-14T10:02:00.000Z',
  wording: 'J’accepte de recevoir les offres de la boutique par SMS et RCS.',
  proof: 'https://boutique.example/inscriptions/8812',
  withdrawn_at: null,
  withdrawal: null,
  created_at: '2026-11-15T09:30:00.000Z'
}
