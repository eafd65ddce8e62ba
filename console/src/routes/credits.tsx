import { Button, Grid, Stack, Title } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { creditsQuery } from '../features/account/api/credits.ts'
import { meQuery } from '../features/account/api/me.ts'
import { MyRequests } from '../features/credits/components/my-requests.tsx'
import { ReceivedRequests } from '../features/credits/components/received-requests.tsx'
import { call } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Card } from '../ui/card.tsx'
import { CreditEntries } from '../ui/credit-entries.tsx'
import { CreditBalances } from '../ui/credit-fields.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'

const words = defineWords(
  { title: 'Credits', balance: 'Balance', history: 'History of credits', statements: 'Statements' },
  { title: 'Crédits', balance: 'Solde', history: 'Historique des crédits', statements: 'Relevés' }
)

export function Credits() {
  const say = useWords(words)
  const { data: me, isError, error, refetch } = useQuery(meQuery)
  if (isError && !me) return <ErrorState error={error} reset={() => void refetch()} />
  if (!me) return <PageLoading />
  return (
    <Page
      title={say.title}
      actions={
        <Button variant="default" leftSection={<IconReceipt size={16} aria-hidden />} component={Link} to="/statements">
          {say.statements}
        </Button>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          {me.role === 'operator' ? (
            <Balance isTall />
          ) : (
            <Stack gap="lg">
              <Balance />
              <MyRequests me={me} />
            </Stack>
          )}
        </Grid.Col>
        {me.role !== 'sub-account' && (
          <Grid.Col span={{ base: 12, md: 6 }}>
            <ReceivedRequests timeZone={me.time_zone} />
          </Grid.Col>
        )}
      </Grid>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say.history}
        </Title>
        <CreditEntries
          queryKey={['credits', 'entries']}
          fetchPage={(page) => call('listCreditEntries', { query: page })}
          timeZone={me.time_zone}
          isOwn
        />
      </Stack>
    </Page>
  )
}

function Balance({ isTall = false }: { isTall?: boolean }) {
  const say = useWords(words)
  const { data } = useQuery(creditsQuery)
  return (
    <Card title={say.balance} isTall={isTall}>
      <CreditBalances credits={data} />
    </Card>
  )
}
