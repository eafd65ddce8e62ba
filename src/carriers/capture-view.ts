import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { RedactedPdu } from '../smpp/redact-pdu.ts'
import { findCapture, listCaptured } from './captures.store.ts'

/* The last PDUs of the binds of a carrier, without texts, passwords and whole numbers, while the operator captures them. */

export const CAPTURE_MINUTES_MAX = 15

const PduView = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'By the clock of the process that holds the bind.' }),
    direction: Type.Enum(['in', 'out'], { description: '`in` came from the carrier, `out` went to it.' }),
    command: Type.String({ description: 'The name in SMPP 3.4; the number of an unknown command.' }),
    is_readable: Type.Boolean({ description: 'False for a PDU that breaks the rules of SMPP.' }),
    status: Nullable(Type.String({ description: 'command_status, such as `ESME_ROK`.' })),
    sequence: Type.Integer({ description: 'sequence_number: an answer has that of its request.' }),
    source: Nullable(Type.String({ description: 'source_addr; the middle digits of a number are hidden.' })),
    destination: Nullable(Type.String({ description: 'destination_addr; the middle digits of a number are hidden.' })),
    esm_class: Nullable(Type.Integer()),
    data_coding: Nullable(Type.Integer()),
    sm_length: Nullable(Type.Integer({ description: 'Bytes of short_message. The text is never kept.' })),
    tlvs: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() }), {
      description: 'The first 20 optional parameters, by name and length.'
    })
  },
  { $id: 'CapturedPdu' }
)

export const CaptureView = Type.Object(
  {
    carrier: Type.String(),
    began_at: Nullable(Type.String({ format: 'date-time', description: 'Null while nothing is captured.' })),
    ends_at: Nullable(Type.String({ format: 'date-time', description: 'When it ends by itself.' })),
    binds: Type.Array(
      Type.Object({
        slot: Type.Integer({ description: 'Which of the carrier’s sessions, from 1.' }),
        process: Type.String({ description: 'The process that held it.' }),
        pdus: Type.Array(PduView, { description: 'The last 100, oldest first.' })
      })
    )
  },
  { $id: 'CarrierCapture' }
)

export const captureExample: Static<typeof CaptureView> = {
  carrier: 'main',
  began_at: '2026-11-15T09:30:00.000Z',
  ends_at: '2026-11-15T09:45:00.000Z',
  binds: [
    {
      slot: 1,
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      pdus: [
        {
          at: '2026-11-15T09:31:02.120Z',
          direction: 'out',
          command: 'submit_sm',
          is_readable: true,
          status: 'ESME_ROK',
          sequence: 42,
          source: 'CHAPPE',
          destination: '336••••••06',
          esm_class: 0,
          data_coding: 0,
          sm_length: 7,
          tlvs: []
        }
      ]
    }
  ]
}

export async function readCaptureView(sql: Sql, carrier: string): Promise<Static<typeof CaptureView>> {
  const capture = await findCapture(sql, carrier)
  if (!capture) return { carrier, began_at: null, ends_at: null, binds: [] }
  const rows = await listCaptured(sql, carrier)
  return {
    carrier,
    began_at: capture.beganAt.toISOString(),
    ends_at: capture.endsAt.toISOString(),
    binds: rows.map(({ slot, owner, pdus }) => ({ slot, process: owner, pdus: pdus.map(toPduView) }))
  }
}

function toPduView({ isReadable, esmClass, dataCoding, smLength, ...rest }: RedactedPdu): Static<typeof PduView> {
  return { ...rest, is_readable: isReadable, esm_class: esmClass, data_coding: dataCoding, sm_length: smLength }
}
