import Type, { type Static } from 'typebox'
import { PART } from '../http/described-schemas.ts'
import { Nullable } from '../schemas/nullable.ts'

/*
 * The content of an RCS message: a text, a card, or a carousel of cards, with choices to tap. Its texts may name variables
 * (`#prenom#`). The limits of the platform are in check-rcs-content.ts; those of the schemas only keep out huge texts.
 * Null counts as absent: clients in typed languages send it for every field that was not set.
 */

const LENGTH_MAX = 10_000
const CHOICES_MAX = 100

const TextChoice = Type.Object(
  {
    type: Type.Literal('text'),
    text: Type.String({ maxLength: LENGTH_MAX, description: 'What it says; it comes back as a reply.' })
  },
  { $id: 'TextChoiceDto' }
)

const UrlChoice = Type.Object(
  {
    type: Type.Literal('url'),
    title: Type.String({ maxLength: LENGTH_MAX }),
    url: Type.String({ maxLength: LENGTH_MAX, description: 'An http or https address to open.' })
  },
  { $id: 'UrlChoiceDto' }
)

const CallChoice = Type.Object(
  {
    type: Type.Literal('call'),
    title: Type.String({ maxLength: LENGTH_MAX }),
    phoneNumber: Type.String({ maxLength: LENGTH_MAX, description: 'The number to call.' })
  },
  { $id: 'CallChoiceDto' }
)

const LocationChoice = Type.Object(
  {
    type: Type.Literal('location'),
    title: Type.String({ maxLength: LENGTH_MAX }),
    label: Type.String({ maxLength: LENGTH_MAX, description: 'What the map calls the place.' }),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 })
  },
  { $id: 'LocationChoiceDto' }
)

export const RcsChoice = Type.Union([TextChoice, UrlChoice, CallChoice, LocationChoice])
export type RcsChoice = Static<typeof RcsChoice>

const choices = Type.Optional(Nullable(Type.Array(RcsChoice, { maxItems: CHOICES_MAX })))

export const RcsText = Type.Object({ text: Type.String({ maxLength: LENGTH_MAX }), choices }, { $id: 'RcsTextDto' })
export type RcsText = WithoutNulls<Static<typeof RcsText>>

export const RcsCard = Type.Object(
  {
    title: Type.Optional(Nullable(Type.String({ maxLength: LENGTH_MAX }))),
    description: Type.Optional(Nullable(Type.String({ maxLength: LENGTH_MAX }))),
    media_message_url: Type.Optional(
      Nullable(Type.String({ maxLength: LENGTH_MAX, description: 'The http or https address of an image.' }))
    ),
    choices
  },
  { $id: 'RcsCardDto' }
)
export type RcsCard = WithoutNulls<Static<typeof RcsCard>>

export const RcsCarousel = Type.Object(
  { cards: Type.Array(RcsCard, { maxItems: CHOICES_MAX, description: '2 to 10 cards.' }) },
  { $id: 'RcsCarouselDto' }
)
export type RcsCarousel = WithoutNulls<Static<typeof RcsCarousel>>

/** Content of any kind. The `type` beside it says which; a card comes last, since nothing of it is required. */
export const RcsData = Type.Union([RcsText, RcsCarousel, RcsCard])

export const RCS_TYPES = ['text', 'card', 'carousel'] as const
export type RcsType = (typeof RCS_TYPES)[number]

/** For the reference: content with the `type` that says what it is. */
export const RCS_CONTENT_VIEWS = [
  Type.Object({ type: Type.Literal('text'), data: RcsText }, { $id: 'RcsTextContent', ...PART }),
  Type.Object({ type: Type.Literal('card'), data: RcsCard }, { $id: 'RcsCardContent', ...PART }),
  Type.Object({ type: Type.Literal('carousel'), data: RcsCarousel }, { $id: 'RcsCarouselContent', ...PART })
]

/** Checked content: without empty fields, with numbers to call as E.164. */
export type RcsContent =
  | { type: 'text'; data: RcsText }
  | { type: 'card'; data: RcsCard }
  | { type: 'carousel'; data: RcsCarousel }

export type RcsData = RcsContent['data']

/** Content as it is given: not checked, and with nulls. */
export type GivenRcsContent =
  | { type: 'text'; data: Static<typeof RcsText> }
  | { type: 'card'; data: GivenRcsCard }
  | { type: 'carousel'; data: Static<typeof RcsCarousel> }

export type GivenRcsCard = Static<typeof RcsCard>

type WithoutNulls<T> = T extends object ? { [Key in keyof T]: WithoutNulls<Exclude<T[Key], null>> } : T

/** A blank text counts as absent. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
