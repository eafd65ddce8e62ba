import Type from 'typebox'
import { ID_MAX } from '../schemas/ids.ts'

/* The fields of a send that name its audience. */

const LISTS_MAX = 100
const SEGMENTS_MAX = 20

export const ContactListIds = Type.Array(
  Type.Union([
    Type.Integer({ minimum: 1, maximum: ID_MAX }),
    Type.String({ pattern: '^[1-9]\\d{0,14}$', 'x-words': 'the id of a contact list, such as 12' })
  ]),
  {
    minItems: 1,
    maxItems: LISTS_MAX,
    description: 'Ids of contact lists, up to 100.'
  }
)

export const SegmentIds = Type.Array(Type.Integer({ minimum: 1, maximum: ID_MAX }), {
  minItems: 1,
  maxItems: SEGMENTS_MAX,
  description:
    'Ids of segments, up to 20. Who fits is found when the message departs; of a scheduled message, its credits are taken then.'
})
