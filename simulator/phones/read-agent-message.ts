import { describeRcs } from '../../src/rcs/describe-rcs.ts'
import type { RcsCard, RcsCarousel, RcsChoice } from '../../src/rcs/rcs-content.ts'
import {
  type AgentMessage,
  type CardContent,
  cardsOf,
  type SuggestedAction,
  type Suggestion
} from '../rbm/agent-message.ts'

/** Reads an RCS as a phone shows it, in the types of our own API. */
export interface ShownRcs {
  content: string
  card?: RcsCard
  carousel?: RcsCarousel
  choices?: RcsChoice[]
}

export function readAgentMessage({ contentMessage }: AgentMessage): ShownRcs {
  const { text, richCard, contentInfo, suggestions = [] } = contentMessage
  const below = suggestions.flatMap(readSuggestion)
  const choices = below.length > 0 ? { choices: below } : {}
  if (!richCard) return { content: text ?? contentInfo?.fileUrl ?? '', ...choices }
  const cards = cardsOf(richCard).map(readCard)
  if ('carouselCard' in richCard) {
    return { content: describeRcs({ type: 'carousel', data: { cards } }), carousel: { cards }, ...choices }
  }
  const [card = {}] = cards
  return { content: describeRcs({ type: 'card', data: card }), card, ...choices }
}

function readCard({ title, description, media, suggestions = [] }: CardContent): RcsCard {
  const choices = suggestions.flatMap(readSuggestion)
  const image = media?.contentInfo?.fileUrl
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...(image && { media_message_url: image }),
    ...(choices.length > 0 && { choices })
  }
}

function readSuggestion({ reply, action }: Suggestion): RcsChoice[] {
  if (reply) return [{ type: 'text', text: reply.text }]
  const choice = action && readAction(action)
  return choice ? [choice] : []
}

function readAction({ text, openUrlAction, dialAction, viewLocationAction }: SuggestedAction): RcsChoice | undefined {
  if (openUrlAction) return { type: 'url', title: text, url: openUrlAction.url }
  if (dialAction) return { type: 'call', title: text, phoneNumber: dialAction.phoneNumber }
  if (!viewLocationAction) return undefined
  const { label = '', latLong: { latitude, longitude } = { latitude: 0, longitude: 0 } } = viewLocationAction
  return { type: 'location', title: text, label, latitude, longitude }
}
