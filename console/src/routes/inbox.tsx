import { Button, Grid, Paper, ScrollArea, Stack } from '@mantine/core'
import { IconInbox, IconMessages, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useSearch as useAddress, useNavigate } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { conversationsQuery } from '../features/replies/api/replies.ts'
import {
  type Choice,
  ConversationFilters,
  readChoice,
  toFilters
} from '../features/replies/components/conversation-filters.tsx'
import { ConversationLine } from '../features/replies/components/conversation-line.tsx'
import { ConversationView } from '../features/replies/components/conversation-view.tsx'
import { download } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Inbox',
    about: 'Replies to your messages, one conversation per person.',
    search: 'Search in replies and numbers',
    none: 'No open conversation',
    noneHint: 'Replies to your messages appear here as they come.',
    noneFound: 'No conversation found',
    noneFoundHint: 'Choose other filters.',
    more: 'Older conversations',
    choose: 'Choose a conversation',
    conversations: 'Conversations'
  },
  {
    title: 'Réponses',
    about: 'Les réponses à vos messages, une conversation par personne.',
    search: 'Rechercher une réponse ou un numéro',
    none: 'Aucune conversation ouverte',
    noneHint: 'Les réponses à vos messages apparaissent ici dès qu’elles arrivent.',
    noneFound: 'Aucune conversation ne correspond',
    noneFoundHint: 'Choisissez d’autres filtres.',
    more: 'Conversations plus anciennes',
    choose: 'Choisissez une conversation',
    conversations: 'Conversations'
  }
)

export function Inbox() {
  const say = useWords(words)
  const me = useMe()
  const navigate = useNavigate()
  // In the address: on a phone, Back leads from a conversation to the list; and from elsewhere to the same filters.
  const { with: phone, ...address } = useAddress({ strict: false }) as { with?: string }
  const choice = readChoice(address)
  const setPhone = (chosen: string | undefined) =>
    void navigate({ to: '/inbox', search: { ...choice, with: chosen } as never })
  const isNarrowHidden = phone !== undefined
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={<ExportButton fetchFile={() => download('extractReplies')} name="replies.csv" />}
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, sm: 5, lg: 4 }} {...(isNarrowHidden && { visibleFrom: 'sm' })}>
          <ConversationList
            choice={choice}
            onChange={(choice) =>
              void navigate({ to: '/inbox', search: { ...choice, with: phone } as never, replace: true })
            }
            chosen={phone}
            onChoose={setPhone}
          />
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
    </Page>
  )
}

interface ListGiven {
  choice: Choice
  onChange(choice: Choice): void
  chosen: string | undefined
  onChoose(phone: string): void
}

function ConversationList({ choice, onChange, chosen, onChoose }: ListGiven) {
  const say = useWords(words)
  const timeZone = useMe()?.time_zone
  const { search, ...field } = useSearch()
  const filters = { ...toFilters(choice), ...(search !== '' && { search }) }
  const { data, isError, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...conversationsQuery(filters),
    placeholderData: keepPreviousData
  })
  // A new reply shifts older pages by one, so a conversation may be on two pages.
  const items = data?.pages.flatMap(({ items }) => items) ?? []
  const conversations = [...new Map(items.toReversed().map((item) => [item.recipient, item])).values()].toReversed()
  const isFiltered = search !== '' || choice.show !== undefined || choice.whose !== undefined
  return (
    <Stack gap="xs">
      <SearchField label={say.search} maxLength={100} {...field} />
      <ConversationFilters choice={choice} onChange={onChange} />
      {isError && !data ? (
        <ErrorState error={error} reset={() => void refetch()} />
      ) : !data ? (
        <RowsLoading rows={6} height={64} />
      ) : conversations.length === 0 ? (
        <Paper withBorder>
          <EmptyState
            icon={isFiltered ? <IconSearch size={28} aria-hidden /> : <IconInbox size={28} aria-hidden />}
            title={isFiltered ? say.noneFound : say.none}
          >
            {isFiltered ? say.noneFoundHint : say.noneHint}
          </EmptyState>
        </Paper>
      ) : (
        <Paper withBorder component="nav" aria-label={say.conversations}>
          <ScrollArea.Autosize mah="calc(100vh - 300px)">
            {conversations.map((conversation) => (
              <ConversationLine
                key={conversation.recipient}
                conversation={conversation}
                isChosen={conversation.recipient === chosen}
                onChoose={() => onChoose(conversation.recipient)}
                timeZone={timeZone}
              />
            ))}
            {hasNextPage && (
              <Button variant="subtle" fullWidth loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {say.more}
              </Button>
            )}
          </ScrollArea.Autosize>
        </Paper>
      )}
    </Stack>
  )
}
