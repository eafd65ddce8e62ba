import { Stack, Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { Agents } from '../features/agents/components/agents.tsx'
import { Accounts } from '../features/operator/components/accounts.tsx'
import { CarrierHistory } from '../features/operator/components/carrier-history.tsx'
import { Carriers, QueueFigures } from '../features/operator/components/carriers.tsx'
import { NumberLookUp } from '../features/operator/components/number-look-up.tsx'
import { OperatorKeywords } from '../features/operator/components/operator-keywords.tsx'
import { OperatorStops } from '../features/operator/components/operator-stops.tsx'
import { QueueByAge } from '../features/operator/components/queue-by-age.tsx'
import { UnmatchedReceipts } from '../features/operator/components/unmatched.tsx'
import { Routes } from '../features/routing/components/routes.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { PageLoading } from '../ui/states.tsx'
import { TabRow } from '../ui/tab-row.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: 'Operator',
    carriers: 'Carriers',
    routes: 'Routes',
    agents: 'RCS agents',
    unmatched: 'Unmatched receipts',
    accounts: 'Accounts',
    number: 'Find a number',
    stops: 'STOPs for all',
    keywords: 'Keywords'
  },
  {
    title: 'Exploitation',
    carriers: 'Opérateurs',
    routes: 'Routes',
    agents: 'Agents RCS',
    unmatched: 'Accusés sans message',
    accounts: 'Comptes',
    number: 'Rechercher un numéro',
    stops: 'STOP pour tous',
    keywords: 'Mots-clés'
  }
)

const TABS = ['carriers', 'routes', 'agents', 'unmatched', 'accounts', 'number', 'stops', 'keywords'] as const

export function Operator() {
  const say = useWords(words)
  const navigate = useNavigate()
  // In the address: Back leads from an account to the list of accounts.
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const me = useMe()
  if (!me) return <PageLoading />
  if (me.role !== 'operator') return <NotFound />
  return (
    <Page title={say.title}>
      <Tabs
        value={TABS.find((each) => each === tab) ?? 'carriers'}
        onChange={(chosen) => void navigate({ to: '/operator', search: { tab: chosen } as never, replace: true })}
        keepMounted={false}
      >
        <TabRow>
          {TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {say[tab]}
            </Tabs.Tab>
          ))}
        </TabRow>
        <Tabs.Panel value="carriers">
          <Stack>
            <QueueFigures />
            <QueueByAge />
            <Carriers timeZone={me.time_zone} />
            <CarrierHistory timeZone={me.time_zone} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="routes">
          <Routes />
        </Tabs.Panel>
        <Tabs.Panel value="agents">
          <Agents timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="unmatched">
          <UnmatchedReceipts timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="accounts">
          <Accounts timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="number">
          <NumberLookUp timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="stops">
          <OperatorStops timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="keywords">
          <OperatorKeywords timeZone={me.time_zone} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
