import { ActionIcon, Group, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconSend2 } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Bubble, PhoneScreen } from '../../../ui/phone-screen.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { phoneQuery, replyFromPhone } from '../api/phone.ts'
import { addReply, type SentReply, useReplies } from '../sent-replies.ts'

const words = defineWords(
  {
    label: 'Virtual phone',
    empty: 'Nothing has arrived yet. Send something to this number.',
    answer: 'Reply',
    send: 'Send the reply',
    from: (sender: string, channel: string, time: string) => `${sender} · ${channel} · ${time}`,
    calls: (number: string) => `Here the phone would call ${number}.`,
    shows: (place: string) => `Here the phone would show ${place} on a map.`
  },
  {
    label: 'Téléphone virtuel',
    empty: 'Rien n’est encore arrivé. Envoyez quelque chose à ce numéro.',
    answer: 'Répondre',
    send: 'Envoyer la réponse',
    from: (sender: string, channel: string, time: string) => `${sender} · ${channel} · ${time}`,
    calls: (number: string) => `Ici, le téléphone appellerait le ${number}.`,
    shows: (place: string) => `Ici, le téléphone montrerait ${place} sur une carte.`
  }
)

/** The screen of a virtual phone: its messages, and a field to answer. */
export function VirtualPhone({ number }: { number: string }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const queries = useQueryClient()
  const inbox = useQuery(phoneQuery(number))
  const replies = useReplies(number)
  const [text, setText] = useState('')
  const mayReply = useMay('send')
  const reply = useMutation({
    mutationFn: (content: string) => replyFromPhone({ number, content }),
    onSuccess(_answer, content) {
      addReply(number, content)
      setText('')
      for (const queryKey of [['replies'], ['messages'], ['stops']]) void queries.invalidateQueries({ queryKey })
    }
  })
  if (inbox.isError && !inbox.data) return <ErrorState error={inbox.error} reset={() => void inbox.refetch()} />
  const items = inbox.data?.items ?? []
  const note = (item: Schemas['SandboxMessage']) =>
    say.from(item.from, item.channel.toUpperCase(), formats.time(item.received_at))
  return (
    <PhoneScreen
      label={say.label}
      title={formatPhone(number)}
      isLive
      bubbles={bubblesOf(items, replies, note)}
      empty={
        <Text c="dimmed" size="sm" ta="center" mt="xl">
          {say.empty}
        </Text>
      }
      onChoice={(choice) => {
        if (choice.type === 'text') mayReply && reply.mutate(choice.text)
        else if (choice.type === 'url') window.open(choice.url, '_blank', 'noopener')
        else if (choice.type === 'call') notifications.show({ message: say.calls(formatPhone(choice.phoneNumber)) })
        else notifications.show({ message: say.shows(choice.label) })
      }}
      footer={
        mayReply && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (text.trim() !== '') reply.mutate(text)
            }}
          >
            <Group gap="xs" wrap="nowrap">
              <TextInput
                aria-label={say.answer}
                placeholder={say.answer}
                radius="xl"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                style={{ flex: 1 }}
              />
              <ActionIcon
                type="submit"
                radius="xl"
                size="lg"
                aria-label={say.send}
                loading={reply.isPending}
                disabled={text.trim() === ''}
              >
                <IconSend2 size={18} aria-hidden />
              </ActionIcon>
            </Group>
          </form>
        )
      }
    />
  )
}

function bubblesOf(
  items: Schemas['SandboxMessage'][],
  replies: SentReply[],
  note: (item: Schemas['SandboxMessage']) => string
): Bubble[] {
  const received = items.map((item, index) => ({
    at: item.received_at,
    bubble: {
      key: `${item.message_id} ${items.length - index}`,
      note: note(item),
      ...(item.card ? { cards: [item.card] } : item.carousel ? { cards: item.carousel.cards } : { text: item.content }),
      ...(item.choices && { choices: item.choices })
    }
  }))
  const sent = replies.map(({ at, content }) => ({ at, bubble: { key: at, text: content, isOwn: true } }))
  return [...received, ...sent].sort((a, b) => a.at.localeCompare(b.at)).map(({ bubble }) => bubble)
}
