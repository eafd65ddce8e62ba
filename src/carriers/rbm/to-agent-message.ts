import type { RcsCard, RcsChoice, RcsContent } from '../../rcs/rcs-content.ts'

/*
 * RCS content as the platform takes it: AgentMessage of the RCS Business Messaging REST interface v1 (REST Resource:
 * phones.agentMessages). Empty fields are left out, since the platform refuses empty strings and lists in places.
 */

export interface AgentMessage {
  contentMessage: ContentMessage
  /** Agents that do both are refused without it. */
  messageTrafficType: 'PROMOTION' | 'TRANSACTION'
  /** Seconds, with an `s` behind. */
  ttl: string
}

type ContentMessage = { text: string; suggestions?: Suggestion[] } | { richCard: RichCard }

type RichCard =
  | { standaloneCard: { cardOrientation: 'VERTICAL'; cardContent: CardContent } }
  | { carouselCard: { cardWidth: 'MEDIUM'; cardContents: CardContent[] } }

interface CardContent {
  title?: string
  description?: string
  media?: { height: 'MEDIUM'; contentInfo: { fileUrl: string; forceRefresh: false } }
  suggestions?: Suggestion[]
}

type Suggestion =
  | { reply: { text: string; postbackData: string } }
  | { action: { text: string; postbackData: string } & SuggestedAction }

type SuggestedAction =
  | { openUrlAction: { url: string } }
  | { dialAction: { phoneNumber: string } }
  | { viewLocationAction: { latLong: { latitude: number; longitude: number }; label: string } }

/** Begins the postback of a person who opens an address, a map or a call; a suggested reply brings its own text. */
export const ACTION_POSTBACK = 'chappe:action:'

/** `content` is filled in and checked. */
export function toAgentMessage(
  content: RcsContent,
  { ttlSeconds, isMarketing = false }: { ttlSeconds: number; isMarketing?: boolean | undefined }
): AgentMessage {
  return {
    contentMessage: toContentMessage(content),
    messageTrafficType: isMarketing ? 'PROMOTION' : 'TRANSACTION',
    ttl: `${ttlSeconds}s`
  }
}

function toContentMessage(content: RcsContent): ContentMessage {
  switch (content.type) {
    case 'text':
      return { text: content.data.text, ...toSuggestions(content.data.choices) }
    case 'card':
      return {
        richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: toCardContent(content.data) } }
      }
    case 'carousel':
      return {
        richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: content.data.cards.map(toCardContent) } }
      }
    default:
      return content satisfies never
  }
}

/** All media of a carousel have to be equally high, and tall ones don't fit every width. */
function toCardContent({ title, description, media_message_url: fileUrl, choices }: RcsCard): CardContent {
  return {
    ...(title && { title }),
    ...(description && { description }),
    // A refresh would fetch the file again for each message; the platform keeps it for 60 days.
    ...(fileUrl && { media: { height: 'MEDIUM', contentInfo: { fileUrl, forceRefresh: false } } }),
    ...toSuggestions(choices)
  }
}

function toSuggestions(choices: readonly RcsChoice[] | undefined): { suggestions?: Suggestion[] } {
  return choices && choices.length > 0 ? { suggestions: choices.map(toSuggestion) } : {}
}

function toSuggestion(choice: RcsChoice): Suggestion {
  if (choice.type === 'text') return { reply: { text: choice.text, postbackData: choice.text } }
  return { action: { text: choice.title, postbackData: `${ACTION_POSTBACK}${choice.type}`, ...toAction(choice) } }
}

function toAction(choice: Exclude<RcsChoice, { type: 'text' }>): SuggestedAction {
  switch (choice.type) {
    case 'url':
      return { openUrlAction: { url: choice.url } }
    case 'call':
      return { dialAction: { phoneNumber: choice.phoneNumber } }
    case 'location': {
      const { latitude, longitude, label } = choice
      return { viewLocationAction: { latLong: { latitude, longitude }, label } }
    }
    default:
      return choice satisfies never
  }
}
