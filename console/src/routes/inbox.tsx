import { Badge, Box, Button, Grid, Group, Paper, ScrollArea, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconInbox, IconMessages } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { type Conversation, conversationsQuery } from '../features/replies/api/replies.ts'
import { ConversationView } from '../features/replies/components/conversation-view.tsx'
import { download } from '../lib/api.ts'
import { useContactName } from '../lib/contact-names.ts'
import { useFormats } from '../lib/format.ts'
import { formatPhone } from '../lib/format-phone.ts'
import { counted, defineWords, useLanguage, useWords } from '../lib/language.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'
import classes from './inbox.module.css'

const words = defineWords(
  {
    title: 'Inbox',
    about: 'Replies to your messages, one conversation per person.',
    none: 'Nobody has answered yet',
    noneHint: 'Replies to your messages appear here as they come.',
    more: 'Older conversations',
    choose: 'Choose a conversation',
    stop: 'STOP',
    conversations: 'Conversations',
    one: 'reply',
    other: 'replies'
  },
  {
    title: 'Réponses',
    about: 'Les réponses à vos messages, une conversation par personne.',
    none: 'Personne n’a encore répondu',
    noneHint: 'Les réponses à vos messages apparaissent ici dès qu’elles arrivent.',
    more: 'Conversations plus anciennes',
    choose: 'Choisissez une conversation',
    stop: 'STOP',
    conversations: 'Conversations',
    one: 'réponse',
    other: 'réponses'
  }
)

export function Inbox() {
  const say = useWords(words)
  const me = useMe()
  const { data, isError, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(conversationsQuery)
  const navigate = useNavigate()
  // In the address: on a phone, Back leads from a conversation to the list.
  const { with: phone } = useSearch({ strict: false }) as { with?: string }
  const setPhone = (chosen: string | undefined) => void navigate({ to: '/inbox', search: { with: chosen } as never })
  // A new reply shifts older pages by one, so a conversation may be on two pages.
  const items = data?.pages.flatMap(({ items }) => items) ?? []
  const conversations = [...new Map(items.toReversed().map((item) => [item.recipient, item])).values()].toReversed()
  const isNarrowHidden = phone !== undefined
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        conversations.length > 0 && <ExportButton fetchFile={() => download('extractReplies')} name="replies.csv" />
      }
    >
      {isError && !data ? (
        <ErrorState error={error} reset={() => void refetch()} />
      ) : !data ? (
        <RowsLoading rows={6} height={64} />
      ) : conversations.length === 0 ? (
        <Paper withBorder>
          <EmptyState icon={<IconInbox size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        </Paper>
      ) : (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, sm: 5, lg: 4 }} {...(isNarrowHidden && { visibleFrom: 'sm' })}>
            <Paper withBorder component="nav" aria-label={say.conversations}>
              <ScrollArea.Autosize mah="calc(100vh - 180px)">
                {conversations.map((conversation) => (
                  <ConversationLine
                    key={conversation.recipient}
                    conversation={conversation}
                    isChosen={conversation.recipient === phone}
                    onChoose={() => setPhone(conversation.recipient)}
                    timeZone={me?.time_zone}
                  />
                ))}
                {hasNextPage && (
                  <Button variant="subtle" fullWidth loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                    {say.more}
                  </Button>
                )}
              </ScrollArea.Autosize>
            </Paper>
          </Grid.Col>
          <Grid.Col span={{ base: 12, sm: 7, lg: 8 }} {...(!isNarrowHidden && { visibleFrom: 'sm' })}>
            {phone === undefined ? (
              <Paper withBorder h="100%">
                <EmptyState icon={<IconMessages size={28} aria-hidden />} title={say.choose} />
              </Paper>
            ) : (
              <ConversationView key={phone} phone={phone} timeZone={me?.time_zone} onBack={() => setPhone(undefined)} />
            )}
          </Grid.Col>
        </Grid>
      )}
    </Page>
  )
}

interface LineGiven {
  conversation: Conversation
  isChosen: boolean
  onChoose(): void
  timeZone: string | undefined
}

function ConversationLine({
  conversation: { recipient, last_reply: last, replies_count: count, is_stopped: isStopped },
  isChosen,
  onChoose,
  timeZone
}: LineGiven) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats(timeZone)
  const name = useContactName(recipient)
  return (
    <UnstyledButton
      className={classes.line}
      data-chosen={isChosen || undefined}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onChoose}
    >
      <Stack gap={2}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text fw={600} size="sm" className="digits">
            {formatPhone(recipient)}
            {name !== '' && (
              <Text span fw={400} size="sm" ml={6}>
                {name}
              </Text>
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {formats.ago(last.timestamp)}
          </Text>
        </Group>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" className="cut">
            {last.content}
          </Text>
          {isStopped && (
            <Badge size="sm" color="orange.9" variant="filled">
              {say.stop}
            </Badge>
          )}
        </Group>
        {count > 1 && (
          <Box>
            <Text size="xs" c="dimmed">
              {counted(language, count, say.one, say.other)}
            </Text>
          </Box>
        )}
      </Stack>
    </UnstyledButton>
  )
}
