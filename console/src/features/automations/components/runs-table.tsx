import { Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { SentOrProblem } from '../../../ui/sent-or-problem.tsx'
import { AUTOMATIONS, type AutomationRun, pageRuns } from '../api/automations.ts'

const words = defineWords(
  {
    runs: 'Runs',
    ran: 'Ran',
    due: 'Due',
    result: 'Result',
    none: 'No run has sent anything yet.'
  },
  {
    runs: 'Exécutions',
    ran: 'Exécutée',
    due: 'Prévue',
    result: 'Résultat',
    none: 'Aucune exécution pour l’instant.'
  }
)

const REFETCH_MS = 15_000

/** The history of an automation: the messages that it sent, and why other runs sent none. */
export function RunsTable({ automationId, timeZone }: { automationId: number; timeZone: string }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  return (
    <DataTable<AutomationRun>
      label={say.runs}
      queryKey={[...AUTOMATIONS, automationId, 'runs']}
      fetchPage={(page, signal) => pageRuns(automationId, page, signal)}
      refetchMs={REFETCH_MS}
      rowKey={({ id }) => id}
      height={320}
      columns={[
        { key: 'ran', title: say.ran, width: '170px', cell: ({ ran_at: at }) => formats.moment(at) },
        { key: 'due', title: say.due, width: '170px', isWide: true, cell: ({ due_at: at }) => formats.moment(at) },
        {
          key: 'result',
          title: say.result,
          width: 'minmax(0, 1fr)',
          cell: ({ message_id: messageId, problem }) => <SentOrProblem messageId={messageId} problem={problem} />
        }
      ]}
      empty={
        <Text c="dimmed" p="md">
          {say.none}
        </Text>
      }
    />
  )
}
