import { isBlank, type RcsCard, type RcsContent } from './rcs-content.ts'

/** The content as plain text, for lists and searches. */
export function describeRcs(content: RcsContent): string {
  switch (content.type) {
    case 'text':
      return content.data.text
    case 'card':
      return describeCard(content.data)
    case 'carousel':
      return content.data.cards.map(describeCard).join('\n\n')
  }
}

/** A picture without a text is described by its address. */
function describeCard({ title, description, media_message_url }: RcsCard): string {
  const words = [title, description].filter((text) => text !== undefined && !isBlank(text))
  return words.length > 0 ? words.join('\n') : (media_message_url ?? '')
}
