import type { RcsCard, RcsContent } from './rcs-content.ts'

/** The content with a text added at the end: of its text, or of the description of its (last) card. */
export function appendToRcs(content: RcsContent, words: string): RcsContent {
  switch (content.type) {
    case 'text':
      return { type: 'text', data: { ...content.data, text: `${content.data.text} ${words}` } }
    case 'card':
      return { type: 'card', data: appendToCard(content.data, words) }
    case 'carousel': {
      const { cards } = content.data
      const last = cards.length - 1
      return {
        type: 'carousel',
        data: { cards: cards.map((card, index) => (index === last ? appendToCard(card, words) : card)) }
      }
    }
  }
}

function appendToCard(card: RcsCard, words: string): RcsCard {
  return { ...card, description: card.description === undefined ? words : `${card.description} ${words}` }
}
