import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { CountryRulesView } from '../features/senders/components/country-rules.tsx'
import { MySenders } from '../features/senders/components/my-senders.tsx'
import { Numbers } from '../features/senders/components/numbers.tsx'
import { Requests } from '../features/senders/components/requests.tsx'
import { SenderLists } from '../features/senders/components/sender-lists.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { PageLoading } from '../ui/states.tsx'
import { TabRow } from '../ui/tab-row.tsx'

const words = defineWords(
  {
    title: 'Senders',
    about: 'The names and numbers that phones show, and who may use them.',
    own: 'My senders',
    requests: 'Requests',
    numbers: 'Numbers',
    lists: 'Lists',
    rules: 'Country rules'
  },
  {
    title: 'Expéditeurs',
    about: 'Les noms et numéros affichés par les téléphones, et qui peut les utiliser.',
    own: 'Mes expéditeurs',
    requests: 'Demandes',
    numbers: 'Numéros',
    lists: 'Listes',
    rules: 'Règles par pays'
  }
)

export function Senders() {
  const say = useWords(words)
  const navigate = useNavigate()
  // In the address, as those of the operator.
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const me = useMe()
  if (!me) return <PageLoading />
  const isOperator = me.role === 'operator'
  const tabs = [
    'own' as const,
    ...(me.role === 'sub-account' ? [] : ['requests' as const]),
    'numbers' as const,
    ...(isOperator ? ['lists' as const] : []),
    'rules' as const
  ]
  return (
    <Page title={say.title} about={say.about}>
      <Tabs
        value={tabs.find((each) => each === tab) ?? 'own'}
        onChange={(chosen) => void navigate({ to: '/senders', search: { tab: chosen } as never, replace: true })}
        keepMounted={false}
      >
        <TabRow>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {say[tab]}
            </Tabs.Tab>
          ))}
        </TabRow>
        <Tabs.Panel value="own">
          <MySenders />
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <Requests by={isOperator ? 'operator' : 'parent'} timeZone={me.time_zone} />
        </Tabs.Panel>
        <Tabs.Panel value="numbers">
          <Numbers isOperator={isOperator} />
        </Tabs.Panel>
        <Tabs.Panel value="lists">
          <SenderLists />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <CountryRulesView country={me.country} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
