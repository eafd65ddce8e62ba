import { Anchor, Badge, Box, Button, Image, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconMapPin, IconPhone } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import classes from './phone-screen.module.css'

/*
 * A phone as its owner sees it: the sender, bubbles, RCS cards with their choices. The preview beside Send and the virtual phone
 * of the sandbox use it.
 */

const words = defineWords({ cards: 'Cards' }, { cards: 'Cartes' })

type Choice = NonNullable<Schemas['RcsTextDto']['choices']>[number]
export type Card = Schemas['RcsCardDto']

export interface Bubble {
  key: string
  isOwn?: boolean
  text?: string
  cards?: Card[]
  /** The choices under the bubble of an RCS text. */
  choices?: Choice[]
  /** Small, under the bubble: the time, or the channel. */
  note?: ReactNode
}

interface Given {
  label: string
  title: string
  bubbles: Bubble[]
  /** Addresses in texts can be opened, as on a phone. */
  isLive?: boolean
  /** Called on a tap; without it, choices are only shown. */
  onChoice?(choice: Choice): void
  /** The field in which the owner writes. */
  footer?: ReactNode
  empty?: ReactNode
}

export function PhoneScreen({ label, title, bubbles, isLive = false, onChoice, footer, empty }: Given) {
  const screen = useRef<HTMLDivElement>(null)
  const count = bubbles.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest is shown when one comes.
  useEffect(() => {
    if (isLive && screen.current) screen.current.scrollTop = screen.current.scrollHeight
  }, [count, isLive])
  return (
    <Box component="section" className={classes.phone} aria-label={label}>
      <div className={classes.top}>
        <Text fw={600} className="cut">
          {title}
        </Text>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <div ref={screen} className={classes.screen} role="log" aria-label={title} tabIndex={0}>
        {bubbles.length === 0 && empty}
        <Bubbles bubbles={bubbles} isLive={isLive} {...(onChoice && { onChoice })} />
      </div>
      {footer && <div className={classes.bottom}>{footer}</div>}
    </Box>
  )
}

/** A message where there is room for all of it: the cards of a carousel stand beside and below each other. */
export function Spread({ bubbles }: { bubbles: Bubble[] }) {
  return (
    <div className={classes.spread}>
      <Bubbles bubbles={bubbles} />
    </div>
  )
}

function Bubbles({ bubbles, isLive = false, onChoice }: Pick<Given, 'bubbles' | 'isLive' | 'onChoice'>) {
  return bubbles.map((bubble) => (
    <div key={bubble.key} className={bubble.isOwn ? classes.own : classes.theirs}>
      {bubble.text !== undefined && (
        <div className={`${classes.bubble} words`}>{isLive ? withLinks(bubble.text) : bubble.text}</div>
      )}
      {bubble.cards && <Cards cards={bubble.cards} {...(onChoice && { onChoice })} />}
      <Choices choices={bubble.choices ?? []} {...(onChoice && { onChoice })} />
      {bubble.note && (
        <Text size="xs" c="dimmed" component="div">
          {bubble.note}
        </Text>
      )}
    </div>
  ))
}

function Cards({ cards, onChoice }: { cards: Card[]; onChoice?: (choice: Choice) => void }) {
  const say = useWords(words)
  return (
    <div
      className={classes.cards}
      // The keyboard must reach an element that scrolls.
      {...(cards.length > 1 && { role: 'group', 'aria-label': say.cards, tabIndex: 0 })}
    >
      {cards.map((card, index) => (
        <div key={index} className={cards.length > 1 ? `${classes.card} ${classes.narrow}` : classes.card}>
          {card.media_message_url && (
            <Image src={card.media_message_url} alt="" h={140} fit="cover" fallbackSrc={NO_PICTURE} />
          )}
          <Stack gap={4} p="sm">
            {card.title && <Text fw={600}>{card.title}</Text>}
            {card.description && (
              <Text size="sm" className="words">
                {card.description}
              </Text>
            )}
            <Choices choices={card.choices ?? []} {...(onChoice && { onChoice })} />
          </Stack>
        </div>
      ))}
    </div>
  )
}

const NO_PICTURE = `${import.meta.env.BASE_URL}no-picture.svg`

function Choices({ choices, onChoice }: { choices: Choice[]; onChoice?: (choice: Choice) => void }) {
  if (choices.length === 0) return null
  return (
    <div className={classes.choices}>
      {choices.map((choice, index) => {
        const content = choice.type === 'text' ? choice.text : choice.title
        const icon = ICONS[choice.type]
        return onChoice ? (
          <Button
            key={index}
            size="compact-sm"
            radius="xl"
            variant="default"
            leftSection={icon}
            onClick={() => onChoice(choice)}
          >
            {content}
          </Button>
        ) : (
          <Badge key={index} size="lg" tt="none" variant="default" leftSection={icon}>
            {content}
          </Badge>
        )
      })}
    </div>
  )
}

const ICONS: Record<Choice['type'], ReactNode> = {
  text: undefined,
  url: <IconExternalLink size={14} aria-hidden />,
  call: <IconPhone size={14} aria-hidden />,
  location: <IconMapPin size={14} aria-hidden />
}

/** A text with its addresses as links. */
function withLinks(text: string): ReactNode[] {
  return text.split(/(https?:\/\/[^\s]+[^\s.,;!?])/).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <Anchor key={index} href={piece} target="_blank" rel="noreferrer" inherit underline="always">
        {piece}
      </Anchor>
    )
  )
}
