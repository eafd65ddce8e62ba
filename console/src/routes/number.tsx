import { Anchor, Badge, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { contactListsQuery } from '../features/contacts/api/contact-lists.ts'
import { type Person, personQuery } from '../features/contacts/api/person.ts'
import { NumberActs } from '../features/contacts/components/number-acts.tsx'
import { CUSTOM_FIELDS, fieldWords, PERSON_FIELDS } from '../features/contacts/fields.ts'
import { DeliverBadge } from '../features/messages/components/state-badge.tsx'
import { useContactName } from '../lib/contact-names.ts'
import { useFormats } from '../lib/format.ts'
import { formatPhone } from '../lib/format-phone.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { useIsPhone } from '../ui/is-phone.ts'
import { Page } from '../ui/page.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Number',
    about: 'What this account stores about the number.',
    stopped: 'Opted out',
    stoppedSince: (moment: string) => `Opted out since ${moment}`,
    consents: 'Consents',
    noConsent: 'No consent is recorded.',
    withdrawn: 'Withdrawn',
    held: 'Valid',
    lists: 'Lists',
    list: (id: number) => `List ${id}`,
    noList: 'This number is in no list.',
    messages: 'Messages',
    name: 'Message',
    noMessage: 'No message was sent to this number.',
    message: (id: number) => `Message ${id}`,
    state: 'State',
    text: 'Text',
    sent: 'Sent',
    clicked: 'Link opened',
    replies: 'Replies',
    noReply: 'No reply came from this number.',
    inbox: 'Open in the inbox',
    more: (shown: number, all: number) => `The newest ${shown} of ${all}.`
  },
  {
    title: 'Numéro',
    about: 'Ce que ce compte conserve sur ce numéro.',
    stopped: 'Désinscrit',
    stoppedSince: (moment: string) => `Désinscrit depuis le ${moment}`,
    consents: 'Consentements',
    noConsent: 'Aucun consentement enregistré.',
    withdrawn: 'Retiré',
    held: 'Valable',
    lists: 'Listes',
    list: (id: number) => `Liste ${id}`,
    noList: 'Ce numéro n’est dans aucune liste.',
    messages: 'Messages',
    name: 'Message',
    noMessage: 'Aucun message n’a été envoyé à ce numéro.',
    message: (id: number) => `Message ${id}`,
    state: 'Statut',
    text: 'Texte',
    sent: 'Envoyé',
    clicked: 'Lien ouvert',
    replies: 'Réponses',
    noReply: 'Aucune réponse de ce numéro.',
    inbox: 'Ouvrir dans les réponses',
    more: (shown: number, all: number) => `Les ${shown} plus récents sur ${all}.`
  }
)

/** More rows than somebody reads at once. */
const SHOWN_MAX = 50

export function NumberPage() {
  const say = useWords(words)
  const { number } = useParams({ strict: false }) as { number: string }
  const { data: person, error, refetch } = useQuery(personQuery(number))
  if (person) return <PersonPage person={person} />
  return (
    <Page title={formatPhone(number)} about={say.about}>
      {error ? <ErrorState error={error} reset={() => void refetch()} /> : <RowsLoading />}
    </Page>
  )
}

function PersonPage({ person }: { person: Person }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const name = useContactName(person.recipient)
  const number = formatPhone(person.recipient)
  const stop = person.stop ? say.stoppedSince(formats.moment(person.stop.timestamp)) : say.stopped
  return (
    <Page
      title={name === '' ? number : name}
      about={
        <>
          {name === '' ? say.about : <span className="digits">{number}</span>}
          {person.is_stopped && (
            <Badge component="span" color="orange.9" variant="filled" tt="none" size="lg" ml="sm">
              {stop}
            </Badge>
          )}
        </>
      }
      actions={<NumberActs number={person.recipient} />}
    >
      <Contacts person={person} />
      <Messages person={person} />
      <Replies person={person} />
      <Consents person={person} />
    </Page>
  )
}

function Contacts({ person: { contacts } }: { person: Person }) {
  const say = useWords(words)
  const fields = useWords(fieldWords)
  const { data: lists } = useQuery(contactListsQuery())
  return (
    <Card title={say.lists}>
      <Listed items={contacts} none={say.noList}>
        {(contact) => (
          <div key={contact.id}>
            <Anchor component={Link} to={`/contacts/${contact.contactlist_id}`} fw={500} size="sm">
              {lists?.find(({ id }) => id === contact.contactlist_id)?.name ?? say.list(contact.contactlist_id)}
            </Anchor>
            <Facts
              nameWidth={140}
              rows={[...PERSON_FIELDS.filter((field) => field !== 'tel'), ...CUSTOM_FIELDS].map((field) => [
                fields[field],
                contact[field]
              ])}
            />
          </div>
        )}
      </Listed>
    </Card>
  )
}

function Messages({ person: { messages } }: { person: Person }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const isPhone = useIsPhone()
  const newest = messages.toReversed().slice(0, SHOWN_MAX)
  return (
    <Card
      title={say.messages}
      about={newest.length < messages.length ? say.more(newest.length, messages.length) : undefined}
    >
      {messages.length === 0 ? (
        <Text size="sm">{say.noMessage}</Text>
      ) : isPhone ? (
        <Stack gap="md">
          {newest.map((message) => (
            <MessageBlock key={`${message.message_id} ${message.id}`} message={message} />
          ))}
        </Stack>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{say.name}</Table.Th>
                <Table.Th>{say.state}</Table.Th>
                <Table.Th>{say.sent}</Table.Th>
                <Table.Th>{say.clicked}</Table.Th>
                <Table.Th>{say.text}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {newest.map((message) => (
                <Table.Tr key={`${message.message_id} ${message.id}`}>
                  <Table.Td>
                    <Anchor component={Link} to={`/messages/${message.message_id}`} size="sm">
                      {say.message(message.message_id)}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <DeliverBadge deliver={message.deliver} />
                  </Table.Td>
                  <Table.Td>{message.sent_at === null ? '–' : formats.moment(message.sent_at)}</Table.Td>
                  <Table.Td>{message.clicked_at === null ? '–' : formats.moment(message.clicked_at)}</Table.Td>
                  <Table.Td className="words">{message.content}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  )
}

/** A message where a row of the table does not fit. */
function MessageBlock({ message }: { message: Person['messages'][number] }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const { message_id: id, sent_at: sentAt, clicked_at: clickedAt } = message
  const moments = [
    ...(sentAt === null ? [] : [`${say.sent} ${formats.moment(sentAt)}`]),
    ...(clickedAt === null ? [] : [`${say.clicked} ${formats.moment(clickedAt)}`])
  ]
  return (
    <div>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Anchor component={Link} to={`/messages/${id}`} size="sm">
          {say.message(id)}
        </Anchor>
        <DeliverBadge deliver={message.deliver} />
      </Group>
      {moments.map((moment) => (
        <Text key={moment} size="xs" c="dimmed" className="digits">
          {moment}
        </Text>
      ))}
      <Text size="sm" className="words">
        {message.content}
      </Text>
    </div>
  )
}

function Replies({ person: { recipient, replies } }: { person: Person }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const newest = replies.toSorted((a, b) => b.id - a.id).slice(0, SHOWN_MAX)
  return (
    <Card
      title={say.replies}
      about={newest.length < replies.length ? say.more(newest.length, replies.length) : undefined}
    >
      <Listed items={newest} none={say.noReply}>
        {(reply) => (
          <Group key={reply.id} gap="sm" wrap="nowrap" align="flex-start">
            <Text size="sm" c="dimmed" style={{ flexShrink: 0 }}>
              {formats.moment(reply.timestamp)}
            </Text>
            <Text size="sm" className="words">
              {reply.content}
            </Text>
          </Group>
        )}
      </Listed>
      {replies.length > 0 && (
        <Anchor component={Link} to="/inbox" search={{ with: recipient } as never} size="sm">
          {say.inbox}
        </Anchor>
      )}
    </Card>
  )
}

function Consents({ person: { consents } }: { person: Person }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  return (
    <Card title={say.consents}>
      <Listed items={consents} none={say.noConsent}>
        {(consent) => (
          <div key={consent.id}>
            <Group gap="sm">
              <Badge color={consent.withdrawn_at === null ? 'teal.9' : 'gray.7'} variant="filled" tt="none">
                {consent.withdrawn_at === null ? say.held : say.withdrawn}
              </Badge>
              <Text size="sm" c="dimmed">
                {formats.moment(consent.given_at)}
              </Text>
            </Group>
            <Text size="sm" className="words">
              {consent.wording}
            </Text>
          </div>
        )}
      </Listed>
    </Card>
  )
}

function Listed<T>({ items, none, children }: { items: readonly T[]; none: string; children(item: T): ReactNode }) {
  return items.length === 0 ? <Text size="sm">{none}</Text> : <Stack gap="sm">{items.map(children)}</Stack>
}
