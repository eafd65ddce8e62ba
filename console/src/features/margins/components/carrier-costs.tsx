import { Button, Group, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconUpload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { CheckedFileDialog } from '../../../ui/checked-file-dialog.tsx'
import { ExportButton } from '../../../ui/export-button.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { priceWords } from '../../prices/components/prices-table.tsx'
import { type CarrierCost, carrierCostsQuery, downloadCarrierCosts, sendCostFile } from '../api/margins.ts'

const words = defineWords(
  {
    title: 'Carrier costs',
    about: 'The cost of an SMS segment or an RCS, by the beginning of the number. The longest prefix counts.',
    none: 'No costs yet. Margins need them: import a file.',
    import: 'Import costs',
    replaces: 'The file replaces all costs. Messages that were counted before keep their cost.',
    file: 'CSV with the columns carrier, channel, prefix, cost and currency, such as main,sms,33,0.0325,EUR',
    fine: (count: number) => `The file is correct: ${counted('en', count, 'cost', 'costs')}.`,
    stored: (count: number) => `${counted('en', count, 'cost', 'costs')} stored.`,
    some: (shown: string, all: string) => `The first ${shown} of ${all} costs. The export has all of them.`,
    carrier: 'Carrier',
    channel: 'Channel',
    cost: 'Cost'
  },
  {
    title: 'Coûts des opérateurs',
    about: 'Le coût d’un segment SMS ou d’un RCS, selon le début du numéro. Le préfixe le plus long l’emporte.',
    none: 'Aucun coût. Les marges en ont besoin : importez un fichier.',
    import: 'Importer des coûts',
    replaces: 'Le fichier remplace tous les coûts. Les messages déjà comptés gardent leur coût.',
    file: 'CSV avec les colonnes carrier, channel, prefix, cost et currency, par exemple main,sms,33,0.0325,EUR',
    fine: (count: number) => `Le fichier est correct : ${counted('fr', count, 'coût', 'coûts')}.`,
    stored: (count: number) => `${counted('fr', count, 'coût enregistré', 'coûts enregistrés')}.`,
    some: (shown: string, all: string) => `Les ${shown} premiers coûts sur ${all}. L’export les contient tous.`,
    carrier: 'Opérateur',
    channel: 'Canal',
    cost: 'Coût'
  }
)

/** A file may have 20,000 costs. */
const SHOWN_MAX = 100

/** What carriers cost, for the operator: shown, imported and exported. */
export function CarrierCosts() {
  const say = useWords(words)
  const formats = useFormats()
  const [isOpen, setOpen] = useState(false)
  const { data, isError, error, refetch } = useQuery(carrierCostsQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <RowsLoading />
  return (
    <Card title={say.title} about={say.about}>
      {data.length === 0 ? <Text>{say.none}</Text> : <Costs costs={data.slice(0, SHOWN_MAX)} />}
      {data.length > SHOWN_MAX && (
        <Text size="sm" c="dimmed">
          {say.some(formats.number(SHOWN_MAX), formats.number(data.length))}
        </Text>
      )}
      <Group>
        <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={() => setOpen(true)}>
          {say.import}
        </Button>
        {data.length > 0 && <ExportButton fetchFile={downloadCarrierCosts} name="carrier-costs.csv" />}
      </Group>
      {isOpen && <CostFileDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

function Costs({ costs }: { costs: readonly CarrierCost[] }) {
  const say = useWords(words)
  const prices = useWords(priceWords)
  const formats = useFormats()
  return (
    <Table.ScrollContainer minWidth={0} maxHeight={420}>
      <Table aria-label={say.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say.carrier}</Table.Th>
            <Table.Th>{say.channel}</Table.Th>
            <Table.Th>{prices.prefix}</Table.Th>
            <Table.Th ta="right">{say.cost}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {costs.map(({ carrier, channel, prefix, cost, currency }) => (
            <Table.Tr key={`${carrier} ${channel} ${prefix}`}>
              <Table.Td className="words">{carrier}</Table.Td>
              <Table.Td>{channel.toUpperCase()}</Table.Td>
              <Table.Td className="digits">{prefix === '*' ? prices.others : `+${prefix}`}</Table.Td>
              <Table.Td ta="right" className="digits">
                {formats.money(cost, currency)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function CostFileDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  return (
    <CheckedFileDialog
      title={say.import}
      hint={say.file}
      check={(file) => sendCostFile(file, { isCheck: true })}
      store={(file) => sendCostFile(file, { isCheck: false })}
      describe={({ costs }) => say.fine(costs)}
      onStored={({ costs }) => {
        notifications.show({ color: 'green', message: say.stored(costs) })
        void queries.invalidateQueries({ queryKey: carrierCostsQuery.queryKey })
      }}
      onClose={onClose}
    >
      <Text size="sm">{say.replaces}</Text>
    </CheckedFileDialog>
  )
}
