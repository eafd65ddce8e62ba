import Type, { type Static } from 'typebox'
import { CarrierCost, CarrierName } from '../carrier-name.ts'

/** One RCS Business Messaging carrier of the carriers file. */
export const RbmSettings = Type.Object(
  {
    name: CarrierName,
    type: Type.Literal('rbm'),
    cost: CarrierCost,
    agentId: Type.String({ minLength: 1, maxLength: 255 }),
    /** Google's key file, relative to the carriers file. */
    serviceAccount: Type.String({ minLength: 1 }),
    /** `http:` is allowed: a stand-in has no certificate. */
    baseUrl: Type.String({ minLength: 1, maxLength: 2048 }),
    /** The token that signs Google's events. */
    webhookToken: Type.String({ minLength: 1, maxLength: 255, 'x-secret': true }),
    /** The brand of the agent at the management API, which tells name, logo and launch; nothing is asked without it. */
    brand: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', 'x-words': 'the id of a brand, such as 40bd963f-ff92-425c' })
    ),
    managementUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
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
