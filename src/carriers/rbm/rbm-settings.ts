import Type, { type Static } from 'typebox'
import { CarrierName } from '../carrier-name.ts'

/** One RCS Business Messaging carrier of the carriers file. */
export const RbmSettings = Type.Object(
  {
    name: CarrierName,
    type: Type.Literal('rbm'),
    agentId: Type.String({ minLength: 1, maxLength: 255 }),
    /** Google's key file, relative to the carriers file. */
    serviceAccount: Type.String({ minLength: 1 }),
    /** `http:` is allowed: a stand-in has no certificate. */
    baseUrl: Type.String({ minLength: 1, maxLength: 2048 }),
    /** The token that signs Google's events. */
    webhookToken: Type.String({ minLength: 1, maxLength: 255, 'x-secret': true }),
    /**
     * Seconds; CHAPPE_RCS_FALLBACK_SECONDS when absent. 15 days is the longest time to live that the platform takes.
     */
    fallbackDelay: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_296_000 }))
  },
  { additionalProperties: false }
)

export type RbmSettings = Static<typeof RbmSettings>

/** The part of Google's key file that we use. */
export interface ServiceAccountKey {
  clientEmail: string
  /** PEM. */
  privateKey: string
  tokenUri: string
}
