/*
 * The AgentMessage of the RBM platform, without uploaded files, and the platform's checks. The names of fields and the limits
 * come from the published REST reference (phones.agentMessages, v1).
 */

export interface AgentMessage {
  contentMessage: AgentContentMessage
  messageTrafficType?: string
  ttl?: string
  expireTime?: string
}

export interface AgentContentMessage {
  suggestions?: Suggestion[]
  text?: string
  richCard?: { standaloneCard: StandaloneCard } | { carouselCard: CarouselCard }
  contentInfo?: ContentInfo
}

export interface Suggestion {
  reply?: { text: string; postbackData?: string }
  action?: SuggestedAction
}

export interface SuggestedAction {
  text: string
  postbackData?: string
  openUrlAction?: { url: string }
  dialAction?: { phoneNumber: string }
  viewLocationAction?: { latLong?: { latitude: number; longitude: number }; label?: string }
}

export interface StandaloneCard {
  cardOrientation: string
  cardContent: CardContent
}

export interface CarouselCard {
  cardWidth: string
  cardContents: CardContent[]
}

export interface CardContent {
  title?: string
  description?: string
  media?: { height?: string; contentInfo?: ContentInfo }
  suggestions?: Suggestion[]
}

export interface ContentInfo {
  fileUrl: string
}

/** The limit of the whole message as JSON. */
const BYTES_MAX = 250_000
const EXPIRY_MAX_SECONDS = 15 * 86_400

/** The first error of the message, in words like the platform's. */
export function checkAgentMessage(value: unknown, bytes: number): string | undefined {
  if (bytes > BYTES_MAX) return `The message has ${bytes} bytes; the limit is ${BYTES_MAX}.`
  return message(value, 'agent_message')
}

/** Returns the error of the value at the path, if any. */
type Check = (value: unknown, path: string) => string | undefined
type Fields = Readonly<Record<string, Check>>

interface Demands {
  /** Exactly one of each of these groups. */
  oneOf?: readonly string[]
  atLeastOne?: readonly string[]
  atMostOne?: readonly string[]
  required?: readonly string[]
}

const anything: Check = () => undefined

function text({ max, isEmptyAllowed = false }: { max: number; isEmptyAllowed?: boolean }): Check {
  return (value, path) => {
    if (typeof value !== 'string') return `Invalid value at '${path}' (TYPE_STRING).`
    if (value === '' && !isEmptyAllowed) return `'${path}' must not be empty.`
    // The limit is in characters, not in UTF-16 units. Only a text over the limit in units has to be counted.
    if (value.length > max && [...value].length > max) return `'${path}' is longer than ${max} characters.`
    return undefined
  }
}

function oneOfWords(...words: string[]): Check {
  return (value, path) => (words.includes(value as string) ? undefined : `Invalid value at '${path}' (TYPE_ENUM).`)
}

function numberWithin(limit: number): Check {
  return (value, path) =>
    typeof value === 'number' && Math.abs(value) <= limit ? undefined : `Invalid value at '${path}' (TYPE_DOUBLE).`
}

function pattern(form: RegExp, what: string): Check {
  return (value, path) => (typeof value === 'string' && form.test(value) ? undefined : `'${path}' is no ${what}.`)
}

function list(item: Check, { min = 0, max }: { min?: number; max: number }): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `Invalid value at '${path}' (TYPE_LIST).`
    if (value.length < min || value.length > max) return `'${path}' must have ${min} to ${max} items.`
    for (const [index, one] of value.entries()) {
      const problem = item(one, `${path}[${index}]`)
      if (problem) return problem
    }
    return undefined
  }
}

function object(fields: Fields, demands: Demands = {}, further: Check = anything): Check {
  const { oneOf, atLeastOne, atMostOne, required = [] } = demands
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return `Invalid value at '${path}' (TYPE_MESSAGE).`
    }
    const given = value as Record<string, unknown>
    for (const name in given) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (!check) return `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`
      const problem = check(given[name], `${path}.${name}`)
      if (problem) return problem
    }
    for (const name of required) if (given[name] === undefined) return `'${path}.${name}' is required.`
    const count = (names: readonly string[]) => names.filter((name) => given[name] !== undefined).length
    if (oneOf && count(oneOf) !== 1) return `'${path}' must have exactly one of ${oneOf.join(', ')}.`
    if (atLeastOne && count(atLeastOne) === 0) return `'${path}' must have one of ${atLeastOne.join(', ')}.`
    if (atMostOne && count(atMostOne) > 1) return `'${path}' must have only one of ${atMostOne.join(', ')}.`
    return further(given, path)
  }
}

const webAddress = pattern(/^https?:\/\/[^\s]{1,2040}$/, 'URL')
const timestamp = pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/, 'timestamp')
const contentInfo = object(
  { fileUrl: webAddress, thumbnailUrl: webAddress, forceRefresh: anything, contentDescription: anything },
  { required: ['fileUrl'] }
)
const label = text({ max: 25 })
const postbackData = text({ max: 2_048, isEmptyAllowed: true })

const suggestion = object(
  {
    reply: object({ text: label, postbackData }, { required: ['text'] }),
    action: object(
      {
        text: label,
        postbackData,
        fallbackUrl: webAddress,
        openUrlAction: object(
          { url: webAddress, application: anything, webviewViewMode: anything, description: anything },
          { required: ['url'] }
        ),
        dialAction: object(
          { phoneNumber: pattern(/^\+[1-9]\d{4,14}$/, 'number in E.164') },
          { required: ['phoneNumber'] }
        ),
        viewLocationAction: object(
          {
            latLong: object({ latitude: numberWithin(90), longitude: numberWithin(180) }),
            label: text({ max: 100, isEmptyAllowed: true }),
            query: text({ max: 3_072 })
          },
          { atLeastOne: ['latLong', 'query'] }
        ),
        createCalendarEventAction: anything,
        shareLocationAction: anything,
        composeAction: anything
      },
      {
        required: ['text'],
        oneOf: [
          'openUrlAction',
          'dialAction',
          'viewLocationAction',
          'createCalendarEventAction',
          'shareLocationAction',
          'composeAction'
        ]
      }
    )
  },
  { oneOf: ['reply', 'action'] }
)

const media = object(
  { height: oneOfWords('SHORT', 'MEDIUM', 'TALL'), contentInfo, fileName: text({ max: 2_048 }) },
  { oneOf: ['contentInfo', 'fileName'] }
)

const cardContent = object(
  {
    title: text({ max: 200, isEmptyAllowed: true }),
    description: text({ max: 2_000, isEmptyAllowed: true }),
    media,
    suggestions: list(suggestion, { max: 4 })
  },
  { atLeastOne: ['title', 'description', 'media'] }
)

const standaloneCard = object(
  {
    cardOrientation: oneOfWords('VERTICAL', 'HORIZONTAL'),
    thumbnailImageAlignment: oneOfWords('LEFT', 'RIGHT'),
    cardContent
  },
  { required: ['cardOrientation', 'cardContent'] },
  (card, path) => checkLayout(card as StandaloneCard, path)
)

/** A vertical card needs the height of its image; a horizontal card needs the side of its image. */
function checkLayout(card: StandaloneCard & { thumbnailImageAlignment?: string }, path: string): string | undefined {
  if (!card.cardContent.media) return undefined
  if (card.cardOrientation === 'HORIZONTAL') {
    return card.thumbnailImageAlignment ? undefined : `'${path}.thumbnailImageAlignment' is required.`
  }
  return card.cardContent.media.height ? undefined : `'${path}.cardContent.media.height' is required.`
}

const carouselCard = object(
  { cardWidth: oneOfWords('SMALL', 'MEDIUM'), cardContents: list(cardContent, { min: 2, max: 10 }) },
  { required: ['cardWidth', 'cardContents'] },
  (carousel, path) => {
    const { cardWidth, cardContents } = carousel as CarouselCard
    for (const [index, { media }] of cardContents.entries()) {
      const at = `'${path}.cardContents[${index}].media.height'`
      if (media && !media.height) return `${at} is required.`
      if (media?.height === 'TALL' && cardWidth === 'SMALL') return `${at} can't be TALL on a SMALL card.`
    }
    return undefined
  }
)

const contentMessage = object(
  {
    suggestions: list(suggestion, { max: 11 }),
    text: text({ max: 3_072 }),
    fileName: text({ max: 2_048 }),
    uploadedRbmFile: anything,
    richCard: object({ standaloneCard, carouselCard }, { oneOf: ['standaloneCard', 'carouselCard'] }),
    contentInfo
  },
  { oneOf: ['text', 'fileName', 'uploadedRbmFile', 'richCard', 'contentInfo'] }
)

const TRAFFIC_TYPES = [
  'MESSAGE_TRAFFIC_TYPE_UNSPECIFIED',
  'AUTHENTICATION',
  'TRANSACTION',
  'PROMOTION',
  'SERVICEREQUEST',
  'ACKNOWLEDGEMENT'
]

const message = object(
  {
    name: anything,
    sendTime: anything,
    contentMessage,
    messageTrafficType: oneOfWords(...TRAFFIC_TYPES),
    ttl: pattern(/^\d{1,9}(\.\d{1,9})?s$/, 'duration'),
    expireTime: timestamp
  },
  { required: ['contentMessage'], atMostOne: ['ttl', 'expireTime'] },
  (value, path) => {
    const seconds = expirySeconds(value as AgentMessage)
    if (seconds === undefined || seconds <= EXPIRY_MAX_SECONDS) return undefined
    return `'${path}' can't expire later than 15 days from now.`
  }
)

/** The time to live of the message in seconds, if it has one. */
export function expirySeconds({ ttl, expireTime }: AgentMessage): number | undefined {
  if (ttl !== undefined) return Number.parseFloat(ttl)
  return expireTime === undefined ? undefined : Math.max(0, (Date.parse(expireTime) - Date.now()) / 1_000)
}

/** All suggestions in the order of the screen: first those of the cards, then those below. */
export function suggestionsOf({ contentMessage: { richCard, suggestions = [] } }: AgentMessage): Suggestion[] {
  return [...cardsOf(richCard).flatMap((card) => card.suggestions ?? []), ...suggestions]
}

export function cardsOf(richCard: AgentContentMessage['richCard']): CardContent[] {
  if (!richCard) return []
  return 'carouselCard' in richCard ? richCard.carouselCard.cardContents : [richCard.standaloneCard.cardContent]
}
