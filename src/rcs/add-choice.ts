import type { RcsCard, RcsChoice, RcsContent } from './rcs-content.ts'

/** The most choices on a message, and on a card. */
export const TEXT_CHOICES_MAX = 11
export const CARD_CHOICES_MAX = 4

/** The content with a choice more, after the others: on the message, or on its (last) card. Undefined without room for it. */
export function addChoice(content: RcsContent, choice: RcsChoice): RcsContent | undefined {
  switch (content.type) {
    case 'text': {
      const { choices = [] } = content.data
      if (choices.length >= TEXT_CHOICES_MAX) return undefined
      return { type: 'text', data: { ...content.data, choices: [...choices, choice] } }
    }
    case 'card': {
      const data = addToCard(content.data, choice)
      return data && { type: 'card', data }
    }
    case 'carousel': {
      const { cards } = content.data
      const last = cards.at(-1)
      const data = last && addToCard(last, choice)
      return data && { type: 'carousel', data: { cards: [...cards.slice(0, -1), data] } }
    }
  }
}

function addToCard(card: RcsCard, choice: RcsChoice): RcsCard | undefined {
  const { choices = [] } = card
  return choices.length >= CARD_CHOICES_MAX ? undefined : { ...card, choices: [...choices, choice] }
}

/** Every text that the content shows, also on its choices. */
export function textsOf(content: RcsContent): string[] {
  const ofChoices = (choices: readonly RcsChoice[] = []) =>
    choices.map((choice) => (choice.type === 'text' ? choice.text : choice.title))
  const ofCard = ({ title = '', description = '', choices }: RcsCard) => [title, description, ...ofChoices(choices)]
  switch (content.type) {
    case 'text':
      return [content.data.text, ...ofChoices(content.data.choices)]
    case 'card':
      return ofCard(content.data)
    case 'carousel':
      return content.data.cards.flatMap(ofCard)
  }
}
