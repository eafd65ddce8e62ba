import Type, { type Static } from 'typebox'
import { Clean } from 'typebox/value'
import { type InputProblem, invalidInput } from '../errors.ts'
import { needs, PART } from '../http/described-schemas.ts'
import { checkRcsContent } from '../rcs/check-rcs-content.ts'
import { describeRcs } from '../rcs/describe-rcs.ts'
import { checkFallback, FallBack } from '../rcs/fallback.ts'
import {
  RCS_CONTENT_VIEWS,
  RCS_TYPES,
  RcsCard,
  RcsCarousel,
  RcsChoice,
  type RcsContent,
  RcsData,
  RcsText,
  type RcsType
} from '../rcs/rcs-content.ts'
import { Nullable } from '../schemas/nullable.ts'
import { checkShortUrl, ShortUrl } from '../short-links/short-url.ts'
import { checkName, checkTemplateSender, type SenderPlace, WARNINGS } from './template.ts'

/** RCS content that is kept to be sent again. */
export interface RcsTemplate {
  id: number
  name: string
  type: RcsType
  /** As it was given, without nulls and unknown properties. */
  data: RcsData
  /** Null when there is no fallback. */
  fallbackContent: string | null
  /** Null means the default sender. */
  fallbackSender: string | null
  shorturl: ShortUrl | null
}

export const RcsTemplateInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.Enum(RCS_TYPES, { description: 'The kind of content in `data`.' }),
    data: Type.Unsafe<RcsData>({
      ...RcsData,
      description:
        'The content of the message: `{text, choices}` for a text, `{title, description, media_message_url, choices}` for a card with at least one of the first three, `{cards}` for a carousel of 2 to 10 cards. Empty strings and null count as absent. `#name#` stands for a variable.'
    }),
    fallback: Type.Optional(Nullable(FallBack)),
    shorturl: Type.Optional(Nullable(ShortUrl))
  },
  { $id: 'RcsDto', ...needs(RCS_CONTENT_VIEWS) }
)
export type RcsTemplateInput = Static<typeof RcsTemplateInput>

export const RcsTemplateChanges = Type.Object(Type.Partial(RcsTemplateInput).properties, { $id: 'RcsUpdate' })
export type RcsTemplateChanges = Static<typeof RcsTemplateChanges>

const id = Type.Integer({ description: 'The template’s own.' })

export const RcsTemplateView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    rcs_type: Type.Enum(RCS_TYPES),
    text: Type.String({
      description: 'The words of it: the text, or the titles and descriptions; of a picture alone, its address.'
    }),
    fallback_content: Type.String({ description: 'Empty when there is no fallback.' }),
    fallback_sender: Type.String({ description: 'Empty for the default.' }),
    card: Nullable(Type.Object({ id, ...RcsCard.properties })),
    carousel: Nullable(Type.Object({ id, ...RcsCarousel.properties })),
    shorturl: Nullable(Type.Object({ id, ...ShortUrl.properties })),
    isModel: Type.Boolean({ description: 'Always true.' }),
    warnings: WARNINGS,
    data: Type.Unsafe<RcsData>({ ...RcsData, description: 'The content as it was given.' })
  },
  {
    $id: 'Models',
    ...needs(
      Object.entries({ text: RcsText, card: RcsCard, carousel: RcsCarousel }).map(([type, data]) =>
        Type.Object({ rcs_type: Type.Literal(type), data }, PART)
      )
    )
  }
)

export function toRcsTemplateView(template: RcsTemplate): Static<typeof RcsTemplateView> {
  const { id, name, type, data, fallbackContent, fallbackSender, shorturl } = template
  const content = { type, data } as RcsContent
  return {
    id,
    name,
    rcs_type: type,
    text: describeRcs(content),
    fallback_content: fallbackContent ?? '',
    fallback_sender: fallbackSender ?? '',
    card: content.type === 'card' ? { id, ...content.data } : null,
    carousel: content.type === 'carousel' ? { id, ...content.data } : null,
    shorturl: shorturl && { id, ...shorturl },
    isModel: true,
    data
  }
}

/** Makes a template from a request, or returns all its problems. */
export function checkRcsTemplate(
  { name, type, data, fallback, shorturl }: RcsTemplateInput,
  { country, typography, ourNumbers }: SenderPlace & { typography: boolean }
): Omit<RcsTemplate, 'id'> {
  const checked = checkRcsContent({ type, data }, { country, isFilled: false })
  const problems: InputProblem[] = [
    ...checkName(name),
    ...('problems' in checked ? checked.problems : []),
    ...(fallback ? checkFallback(fallback, { typography }) : []),
    ...checkTemplateSender(fallback?.sender, { path: 'fallback.sender', country, ourNumbers }),
    ...(shorturl ? checkShortUrl(shorturl) : [])
  ]
  if (problems.length > 0) throw invalidInput(problems)
  return {
    name,
    type,
    data: Clean(SCHEMAS[type], withoutNulls(data)) as RcsData,
    fallbackContent: fallback?.content ?? null,
    fallbackSender: fallback?.sender || null,
    shorturl: shorturl ? { mode: shorturl.mode, url: shorturl.url } : null
  }
}

/** A copy without nulls, which count as absent. TypeBox does not clean inside choices, since they may be null. */
function withoutNulls(data: RcsData): unknown {
  return JSON.parse(JSON.stringify(data), (key, value) => {
    if (key === 'choices' && Array.isArray(value)) return value.map((choice) => Clean(RcsChoice, choice))
    return value === null ? undefined : value
  })
}

const SCHEMAS = { text: RcsText, card: RcsCard, carousel: RcsCarousel }

/** The request that would make this template with some changes. */
export function withChanges(template: RcsTemplate, changes: RcsTemplateChanges): RcsTemplateInput {
  const { name, type, data, fallbackContent, fallbackSender, shorturl } = template
  const fallback = fallbackContent === null ? null : { content: fallbackContent, sender: fallbackSender ?? '' }
  return { name, type, data, fallback, shorturl, ...changes }
}

const exampleCard: RcsCard = {
  title: 'Bonjour #champ_prenom#',
  description: 'La collection d’hiver est arrivée.',
  media_message_url: 'https://shop.example/winter.jpg',
  choices: [
    { type: 'url', title: 'Voir', url: '#SHORTURL#' },
    { type: 'call', title: 'Appeler', phoneNumber: '01 99 00 12 34' },
    { type: 'location', title: 'Y aller', label: 'La boutique', latitude: 48.8566, longitude: 2.3522 },
    { type: 'text', text: 'Plus tard' }
  ]
}

export const rcsTemplateExample = {
  body: {
    name: 'Collection d’hiver',
    type: 'card',
    data: exampleCard,
    fallback: { content: 'La collection d’hiver est arrivée : #SHORTURL#', sender: 'CHAPPE' },
    shorturl: { mode: 'unique', url: 'https://shop.example/winter' }
  },
  answer: {
    id: 13,
    name: 'Collection d’hiver',
    rcs_type: 'card',
    text: 'Bonjour #champ_prenom#\nLa collection d’hiver est arrivée.',
    fallback_content: 'La collection d’hiver est arrivée : #SHORTURL#',
    fallback_sender: 'CHAPPE',
    card: { id: 13, ...exampleCard },
    carousel: null,
    shorturl: { id: 13, mode: 'unique', url: 'https://shop.example/winter' },
    isModel: true,
    data: exampleCard
  }
} satisfies { body: RcsTemplateInput; answer: Static<typeof RcsTemplateView> }
