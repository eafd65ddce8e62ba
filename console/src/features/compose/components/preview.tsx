import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Bubble, type Card, PhoneScreen } from '../../../ui/phone-screen.tsx'
import type { Person } from '../api/people.ts'
import { type Draft, fillIn, type RcsDraft } from '../draft.ts'

const words = defineWords(
  {
    label: 'Preview',
    nobody: 'Preview',
    previous: 'Previous recipient',
    next: 'Next recipient',
    empty: 'What you write appears here.',
    fallback: 'SMS, where RCS can’t be shown',
    of: (place: number, count: number) => `${place} of ${count}`
  },
  {
    label: 'Aperçu',
    nobody: 'Aperçu',
    previous: 'Destinataire précédent',
    next: 'Destinataire suivant',
    empty: 'Ce que vous écrivez s’affiche ici.',
    fallback: 'SMS, là où le RCS ne s’affiche pas',
    of: (place: number, count: number) => `${place} sur ${count}`
  }
)

/** The caption of the SMS that takes the place of an RCS. */
export const useFallbackNote = () => useWords(words).fallback

/** The message on the phone of one recipient, with their own values. */
export function Preview({
  draft,
  people,
  sender,
  stopMention
}: {
  draft: Draft
  people: Person[]
  sender: string
  stopMention: string
}) {
  const say = useWords(words)
  const [chosen, setChosen] = useState(0)
  const index = Math.min(chosen, Math.max(0, people.length - 1))
  const person = people[index]
  const values = { ...person?.values, STOP_XXX: stopMention, SHORTURL: `${location.host}/s/Ab3dE6gH1j` }
  return (
    <Stack gap="xs">
      <Group justify="center" gap="xs" wrap="nowrap" mih={34}>
        {people.length > 1 && (
          <ActionIcon
            variant="subtle"
            aria-label={say.previous}
            disabled={index === 0}
            onClick={() => setChosen(index - 1)}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
        )}
        <Text size="sm" c="dimmed" className="digits">
          {person ? formatPhone(person.phone) : say.nobody}
          {people.length > 1 && ` · ${say.of(index + 1, people.length)}`}
        </Text>
        {people.length > 1 && (
          <ActionIcon
            variant="subtle"
            aria-label={say.next}
            disabled={index >= people.length - 1}
            onClick={() => setChosen(index + 1)}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <PhoneScreen
        label={say.label}
        title={sender}
        bubbles={bubblesOf(draft, values, say.fallback)}
        empty={
          <Text c="dimmed" size="sm" ta="center">
            {say.empty}
          </Text>
        }
      />
    </Stack>
  )
}

function bubblesOf(draft: Draft, values: Record<string, string>, fallbackNote: string): Bubble[] {
  const link = draft.link.mode === 'none' ? '' : (values.SHORTURL ?? '')
  const sms = (text: string) => fillIn(withMention(withLink(text, link), draft, values), values)
  if (draft.channel === 'sms') return draft.content === '' ? [] : [{ key: 'sms', text: sms(draft.content) }]
  const bubbles: Bubble[] = rcsBubbles(draft.rcs, (text) => fillIn(text, values))
  return draft.fallback === ''
    ? bubbles
    : [...bubbles, { key: 'fallback', text: sms(draft.fallback), note: fallbackNote }]
}

/** The bubbles of an RCS; also for the pictures of templates. */
export function rcsBubbles(rcs: RcsDraft, fill: (text: string) => string = (text) => text): Bubble[] {
  if (rcs.type === 'text') return rcs.text === '' ? [] : [{ key: 'rcs', text: fill(rcs.text), choices: rcs.choices }]
  const cards: Card[] = (rcs.type === 'card' ? rcs.cards.slice(0, 1) : rcs.cards).map((card) => ({
    ...card,
    title: fill(card.title),
    description: fill(card.description)
  }))
  const isEmpty = cards.every(
    (card) => !card.title && !card.description && !card.media_message_url && !card.choices?.length
  )
  return isEmpty ? [] : [{ key: 'rcs', cards }]
}

const withLink = (text: string, link: string) =>
  link === '' || text.toUpperCase().includes('#SHORTURL#') ? text : `${text} ${link}`

function withMention(text: string, { category }: Draft, { STOP_XXX: mention = '' }: Record<string, string>): string {
  const hasOne = /#STOP_XXX#/i.test(text) || STOP_WORD.test(text.replaceAll(/#[a-z][a-z0-9_]*#/gi, ' '))
  return category === 'marketing' && !hasOne ? `${text} ${mention}` : text
}

/** The same rule as in the service: neither "non-stop" nor "stopper" is an opt-out mention. */
const STOP_WORD = /(?<![\p{L}\p{M}\p{N}_][-\u2010\u2011]?)(?<!\bnon\s)stop(?![-\u2010\u2011]?[\p{L}\p{M}_])/iu
