import {
  ActionIcon,
  Button,
  Group,
  SegmentedControl,
  Stack,
  Tabs,
  Text,
  Textarea,
  TextInput,
  Tooltip
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type CardDraft, emptyCard, type RcsDraft, type RcsType } from '../draft.ts'
import { ChoicesFields } from './choices-fields.tsx'
import { PictureField } from './picture-field.tsx'

const CARDS_MAX = 10
const CARDS_MIN = 2
const CARD_CHOICES_MAX = 4
const TEXT_CHOICES_MAX = 11

const words = defineWords(
  {
    kind: 'Kind of RCS',
    text: 'Text',
    card: 'Card',
    carousel: 'Carousel',
    content: 'Text',
    title: 'Title',
    description: 'Description',
    cardNumber: (number: number) => `Card ${number}`,
    addCard: 'Add a card',
    removeCard: 'Remove this card',
    cardsHint: 'Two to ten cards, shown side by side.'
  },
  {
    kind: 'Type de RCS',
    text: 'Texte',
    card: 'Carte',
    carousel: 'Carrousel',
    content: 'Texte',
    title: 'Titre',
    description: 'Description',
    cardNumber: (number: number) => `Carte ${number}`,
    addCard: 'Ajouter une carte',
    removeCard: 'Retirer cette carte',
    cardsHint: 'De deux à dix cartes, affichées côte à côte.'
  }
)

interface Given {
  rcs: RcsDraft
  onChange(rcs: RcsDraft): void
  /** By the path of the field, as the API names it: `data.cards[0].title`. */
  problems: Record<string, string>
}

/** The content of an RCS, field by field; the phone beside it shows it at once. */
export function RcsFields({ rcs, onChange, problems }: Given) {
  const say = useWords(words)
  function changeType(type: RcsType): void {
    const cards = type === 'carousel' && rcs.cards.length < CARDS_MIN ? [...rcs.cards, emptyCard()] : rcs.cards
    onChange({ ...rcs, type, cards })
  }
  return (
    <Stack>
      <SegmentedControl
        fullWidth
        aria-label={say.kind}
        value={rcs.type}
        onChange={(type) => changeType(type as RcsType)}
        data={[
          { value: 'card', label: say.card },
          { value: 'carousel', label: say.carousel },
          { value: 'text', label: say.text }
        ]}
      />
      {rcs.type === 'text' && (
        <>
          <Textarea
            label={say.content}
            autosize
            minRows={4}
            maxRows={14}
            value={rcs.text}
            onChange={(event) => onChange({ ...rcs, text: event.currentTarget.value })}
            error={problems['data.text']}
          />
          <ChoicesFields
            choices={rcs.choices}
            most={TEXT_CHOICES_MAX}
            problems={problems}
            path="data.choices"
            onChange={(choices) => onChange({ ...rcs, choices })}
          />
        </>
      )}
      {rcs.type === 'card' && (
        <CardFields
          card={rcs.cards[0] ?? emptyCard()}
          problems={problems}
          path="data"
          onChange={(card) => onChange({ ...rcs, cards: [card, ...rcs.cards.slice(1)] })}
        />
      )}
      {rcs.type === 'carousel' && <CarouselFields rcs={rcs} onChange={onChange} problems={problems} />}
    </Stack>
  )
}

function CarouselFields({ rcs, onChange, problems }: Given) {
  const say = useWords(words)
  const [shown, setShown] = useState('0')
  const index = Math.min(Number(shown), rcs.cards.length - 1)
  const change = (cards: CardDraft[]) => onChange({ ...rcs, cards })
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {say.cardsHint}
      </Text>
      <Tabs value={String(index)} onChange={(value) => setShown(value ?? '0')} keepMounted={false}>
        <Group gap="xs" mb="sm">
          <Tabs.List>
            {rcs.cards.map((_, each) => (
              <Tabs.Tab key={each} value={String(each)}>
                {say.cardNumber(each + 1)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {rcs.cards.length < CARDS_MAX && (
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => {
                change([...rcs.cards, emptyCard()])
                setShown(String(rcs.cards.length))
              }}
            >
              {say.addCard}
            </Button>
          )}
          {rcs.cards.length > CARDS_MIN && (
            <Tooltip label={say.removeCard}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={say.removeCard}
                onClick={() => change(rcs.cards.filter((_, each) => each !== index))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        {rcs.cards.map((card, each) => (
          <Tabs.Panel key={each} value={String(each)}>
            <CardFields
              card={card}
              problems={problems}
              path={`data.cards[${each}]`}
              onChange={(changed) => change(rcs.cards.map((other, place) => (place === each ? changed : other)))}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  )
}

function CardFields({
  card,
  onChange,
  problems,
  path
}: {
  card: CardDraft
  onChange(card: CardDraft): void
  problems: Record<string, string>
  path: string
}) {
  const say = useWords(words)
  return (
    <Stack gap="sm">
      <PictureField
        url={card.media_message_url}
        onChange={(url) => onChange({ ...card, media_message_url: url })}
        error={problems[`${path}.media_message_url`]}
      />
      <TextInput
        label={say.title}
        value={card.title}
        onChange={(event) => onChange({ ...card, title: event.currentTarget.value })}
        error={problems[`${path}.title`]}
      />
      <Textarea
        label={say.description}
        autosize
        minRows={2}
        maxRows={10}
        value={card.description}
        onChange={(event) => onChange({ ...card, description: event.currentTarget.value })}
        error={problems[`${path}.description`]}
      />
      <ChoicesFields
        choices={card.choices}
        most={CARD_CHOICES_MAX}
        problems={problems}
        path={`${path}.choices`}
        onChange={(choices) => onChange({ ...card, choices })}
      />
    </Stack>
  )
}
