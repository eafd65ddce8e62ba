import { Anchor, Box, Button, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import { AccountLife } from '../features/accounts/components/account-life.tsx'
import { AccountPeople } from '../features/accounts/components/account-people.tsx'
import { LimitsForm } from '../features/limits/components/limits-form.tsx'
import { HostsForm } from '../features/looks/components/hosts-form.tsx'
import { CreditPriceForm } from '../features/margins/components/credit-price-form.tsx'
import { CreditsDialog } from '../features/operator/components/accounts.tsx'
import { PriceListForm } from '../features/prices/components/price-list-form.tsx'
import { SenderModeForm } from '../features/senders/components/mode-form.tsx'
import { ApiError, call } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { formatPhone } from '../lib/format-phone.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Facts } from '../ui/facts.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    all: 'All accounts',
    details: 'Details',
    id: 'Id',
    email: 'Email',
    name: 'Name',
    phone: 'Phone',
    above: 'Parent account',
    since: 'Since',
    sent: 'Messages, 30 days',
    activity: 'Last activity',
    credits: 'Credits',
    change: 'Change credits',
    statements: 'Statements'
  },
  {
    all: 'Tous les comptes',
    details: 'Détails',
    id: 'N°',
    email: 'E-mail',
    name: 'Nom',
    phone: 'Téléphone',
    above: 'Compte parent',
    since: 'Depuis',
    sent: 'Messages, 30 jours',
    activity: 'Dernière activité',
    credits: 'Crédits',
    change: 'Modifier les crédits',
    statements: 'Relevés'
  }
)

export function OperatorAccount() {
  const say = useWords(words)
  const id = Number((useParams({ strict: false }) as { id: string }).id)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const [isChanging, setChanging] = useState(false)
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['accounts', id],
    queryFn: () => call('readAccount', { path: { id } }),
    enabled: me?.role === 'operator' && Number.isInteger(id)
  })
  if (!me) return <PageLoading />
  if (me.role !== 'operator' || !Number.isInteger(id)) return <NotFound />
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const name = `${data.first_name} ${data.last_name}`.trim()
  const rows: [string, string][] = [
    [say.id, String(data.id)],
    [say.email, data.email],
    [say.name, name],
    [say.phone, formatPhone(data.phone_number)],
    [say.above, data.parent_id === null ? '' : String(data.parent_id)],
    [say.since, formats.day(data.created_at)],
    [say.sent, formats.number(data.sent_30_days)],
    [say.activity, data.last_activity_at ? formats.moment(data.last_activity_at) : '']
  ]
  return (
    <Page
      title={data.social_reason || name || data.email}
      about={
        <Anchor component={Link} to="/operator" search={{ tab: 'accounts' } as never}>
          {say.all}
        </Anchor>
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconReceipt size={16} aria-hidden />}
          component={Link}
          to="/statements"
          search={{ account: data.id } as never}
        >
          {say.statements}
        </Button>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Paper withBorder p="md" component="section" aria-label={say.details} mb="lg">
            <Title order={2} size="h4" mb="xs">
              {say.details}
            </Title>
            <Facts rows={rows} nameWidth={150} />
          </Paper>
          <Paper withBorder p="md" component="section" aria-label={say.credits}>
            <Title order={2} size="h4" mb="xs">
              {say.credits}
            </Title>
            <Group gap="xl" mb="sm">
              {[['SMS', data.sms_credits] as const, ['RCS', data.rcs_credits] as const].map(([label, credits]) => (
                <div key={label}>
                  <Text size="sm" c="dimmed">
                    {label}
                  </Text>
                  <Text size="xl" fw={700} className="digits">
                    {formats.number(credits)}
                  </Text>
                </div>
              ))}
            </Group>
            <For permission="account">
              <Button variant="default" onClick={() => setChanging(true)}>
                {say.change}
              </Button>
            </For>
          </Paper>
          <Box mt="lg">
            <LimitsForm owner={{ kind: 'account', id }} isSubAccount={data.parent_id !== null} />
          </Box>
          <Box mt="lg">
            <SenderModeForm by="operator" id={id} />
          </Box>
          <Box mt="lg">
            <PriceListForm by="operator" id={id} isClosed={data.standing === 'closed'} />
          </Box>
          {/* Sub-accounts buy from their parent, which may be the operator. */}
          {(data.parent_id === null || data.parent_id === me.id) && (
            <Box mt="lg">
              <CreditPriceForm by="operator" id={id} isClosed={data.standing === 'closed'} />
            </Box>
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <AccountLife by="operator" id={id} account={data} isOwn={id === me.id} />
            <AccountPeople by="operator" id={id} isClosed={data.standing === 'closed'} />
            {/* Sub-accounts share those of their parent, and the operator's own are in the settings. */}
            {data.parent_id === null && id !== me.id && <HostsForm id={id} isClosed={data.standing === 'closed'} />}
          </Stack>
        </Grid.Col>
      </Grid>
      {isChanging && <CreditsDialog account={data} onClose={() => setChanging(false)} />}
    </Page>
  )
}
