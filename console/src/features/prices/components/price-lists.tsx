import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconPlus, IconReceipt } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { ExportButton } from '../../../ui/export-button.tsx'
import { EmptyState, ErrorState, PageLoading } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import {
  downloadVersion,
  makeDefault,
  type PriceList,
  type PriceVersion,
  pricedAccountsQuery,
  priceListsQuery,
  versionQuery
} from '../api/prices.ts'
import { PriceFileDialog } from './price-file-dialog.tsx'
import { PricesTable } from './prices-table.tsx'

const words = defineWords(
  {
    create: 'New price list',
    follow: 'New version',
    none: 'No price list',
    noneHint: 'Default prices apply. A list replaces them, for all accounts or for some.',
    isDefault: 'Default',
    makeDefault: 'Make it the default',
    endDefault: 'No longer the default',
    accounts: (count: number) => counted('en', count, 'account uses it', 'accounts use it'),
    version: (number: number) => `Version ${number}`,
    inForce: 'In force',
    later: 'Later',
    from: (moment: string, by: string) => `From ${moment}, by ${by}`,
    prices: (count: number) => counted('en', count, 'price', 'prices'),
    whoHas: 'Price list of each account',
    account: 'Account',
    list: 'Price list',
    since: 'Since',
    another: 'A list of another account'
  },
  {
    create: 'Nouvelle grille tarifaire',
    follow: 'Nouvelle version',
    none: 'Aucune grille tarifaire',
    noneHint: 'Les prix par défaut s’appliquent. Une grille les remplace, pour tous les comptes ou pour certains.',
    isDefault: 'Par défaut',
    makeDefault: 'Utiliser par défaut',
    endDefault: 'Ne plus utiliser par défaut',
    accounts: (count: number) => counted('fr', count, 'compte l’utilise', 'comptes l’utilisent'),
    version: (number: number) => `Version ${number}`,
    inForce: 'En vigueur',
    later: 'À venir',
    from: (moment: string, by: string) => `À partir du ${moment}, par ${by}`,
    prices: (count: number) => counted('fr', count, 'prix', 'prix'),
    whoHas: 'Grille de chaque compte',
    account: 'Compte',
    list: 'Grille tarifaire',
    since: 'Depuis',
    another: 'Une grille d’un autre compte'
  }
)

export function PriceLists({ isOperator, timeZone }: { isOperator: boolean; timeZone: string }) {
  const say = useWords(words)
  const [isOpen, setOpen] = useState(false)
  const { data, isError, error, refetch } = useQuery(priceListsQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  return (
    <Stack gap="lg">
      <For permission="account">
        <div>
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setOpen(true)}>
            {say.create}
          </Button>
        </div>
      </For>
      {data.length === 0 && (
        <EmptyState icon={<IconReceipt size={28} aria-hidden />} title={say.none}>
          {say.noneHint}
        </EmptyState>
      )}
      {data.map((list) => (
        <ListCard key={list.id} list={list} isOperator={isOperator} timeZone={timeZone} />
      ))}
      <WhoHas timeZone={timeZone} />
      {isOpen && <PriceFileDialog list={undefined} timeZone={timeZone} onClose={() => setOpen(false)} />}
    </Stack>
  )
}

function ListCard({ list, isOperator, timeZone }: { list: PriceList; isOperator: boolean; timeZone: string }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const change = useMutation({
    mutationFn: () => makeDefault(list.id, !list.is_default),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['prices'] })
  })
  return (
    <Card title={list.name} about={say.accounts(list.accounts)}>
      <Group gap="xs">
        {list.is_default && <Badge tt="none">{say.isDefault}</Badge>}
        <For permission="account">
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            {say.follow}
          </Button>
          {isOperator && (
            <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate()}>
              {list.is_default ? say.endDefault : say.makeDefault}
            </Button>
          )}
        </For>
      </Group>
      {list.versions.map((version) => (
        <Version key={version.number} list={list} version={version} timeZone={timeZone} />
      ))}
      {isOpen && <PriceFileDialog list={list} timeZone={timeZone} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function Version({ list, version, timeZone }: { list: PriceList; version: PriceVersion; timeZone: string }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const [isShown, setShown] = useState(false)
  const isLater = new Date(version.valid_from) > new Date()
  const state = version.number === list.in_force ? say.inForce : isLater ? say.later : undefined
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600}>{say.version(version.number)}</Text>
        {state && (
          <Badge variant="default" tt="none">
            {state}
          </Badge>
        )}
        <Text size="sm" c="dimmed">
          {say.from(formats.moment(version.valid_from), version.made_by)}
        </Text>
      </Group>
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          ml={-8}
          aria-expanded={isShown}
          aria-label={`${say.version(version.number)}: ${say.prices(version.prices)}`}
          onClick={() => setShown(!isShown)}
        >
          {say.prices(version.prices)}
        </Button>
      </div>
      {isShown && <VersionPrices list={list} version={version} />}
    </Stack>
  )
}

function VersionPrices({ list, version }: { list: PriceList; version: PriceVersion }) {
  const say = useWords(words)
  const { data } = useQuery(versionQuery(list.id, version.number))
  if (!data) return null
  return (
    <Stack gap="xs">
      <PricesTable label={`${list.name}, ${say.version(version.number)}`} rows={data} />
      <Group>
        <ExportButton
          fetchFile={() => downloadVersion(list.id, version.number)}
          name={`prices-${list.id}-${version.number}.csv`}
        />
      </Group>
    </Stack>
  )
}

function WhoHas({ timeZone }: { timeZone: string }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const { data = [] } = useQuery(pricedAccountsQuery)
  if (data.length === 0) return null
  return (
    <Card title={say.whoHas}>
      <Table aria-label={say.whoHas}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say.account}</Table.Th>
            <Table.Th>{say.list}</Table.Th>
            <Table.Th>{say.since}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map((one) => (
            <Table.Tr key={one.account_id}>
              <Table.Td>{one.account_name || one.account_id}</Table.Td>
              <Table.Td>{one.list_name ?? say.another}</Table.Td>
              <Table.Td>{formats.day(one.set_at)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}
