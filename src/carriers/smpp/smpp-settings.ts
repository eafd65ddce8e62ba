import Type, { type Static } from 'typebox'
import { CarrierCost, CarrierName } from '../carrier-name.ts'
import { SMS_PROPERTIES } from '../sms-settings.ts'

/** One SMPP carrier of the carriers file, with the defaults of its optional keys. */
export const SmppSettings = Type.Object(
  {
    name: CarrierName,
    type: Type.Literal('smpp'),
    cost: CarrierCost,
    host: Type.String({ minLength: 1, maxLength: 255 }),
    port: Type.Integer({ minimum: 1, maximum: 65535 }),
    tls: Type.Union(
      [
        Type.Boolean(),
        Type.Object(
          {
            /** A file with the certificates to trust instead of the system's. */
            ca: Type.Optional(Type.String({ minLength: 1 })),
            serverName: Type.Optional(Type.String({ minLength: 1 })),
            verify: Type.Optional(Type.Boolean())
          },
          { additionalProperties: false }
        )
      ],
      { default: false }
    ),
    systemId: Type.String({ minLength: 1, maxLength: 15 }),
    password: Type.String({ maxLength: 64, 'x-secret': true }),
    systemType: Type.String({ maxLength: 12, default: '' }),
    bind: Type.Enum(['transceiver', 'transmitter+receiver'], { default: 'transceiver' }),
    sessions: Type.Integer({ minimum: 1, maximum: 64, default: 1 }),
    window: Type.Integer({ minimum: 1, maximum: 10_000, default: 100 }),
    throughput: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
    longMessages: Type.Enum(['udh', 'udh16', 'sar', 'payload'], { default: 'udh' }),
    encoding: Type.Enum(['gsm', 'latin1'], { default: 'gsm' }),
    ...SMS_PROPERTIES,
    messageIdFormat: Type.Enum(['auto', 'as-is', 'hex', 'dec'], { default: 'auto' }),
    /** Seconds that a submit may wait for its answer before it is in doubt. */
    answerTimeout: Type.Number({ minimum: 0.05, maximum: 300, default: 10 }),
    /** Seconds of silence after which the link is asked whether it is there. */
    enquireLink: Type.Number({ minimum: 0.05, maximum: 600, default: 30 })
  },
  { additionalProperties: false }
)

export type SmppSettings = Static<typeof SmppSettings>
