import { Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { SentOrProblem } from '../../../ui/sent-or-problem.tsx'
import { AUTO_REPLIES, type AutoReplyAnswer, pageAnswers } from '../api/auto-replies.ts'

const words = defineWords(
  {
    answers: 'Answers',
    when: 'Time',
    person: 'Person',
    result: 'Result',
    waiting: 'Being sent',
    none: 'Nobody has written one of the keywords yet.'
  },
  {
    answers: 'Réponses',
    when: 'Heure',
    person: 'Personne',
    result: 'Résultat',
    waiting: 'En cours d’envoi',
    none: 'Personne n’a encore écrit l’un des mots-clés.'
  }
)

const REFETCH_MS = 15_000

/** The history of an auto-reply: the messages that it sent, and why other replies got none. */
export function AnswersTable({ autoReplyId, timeZone }: { autoReplyId: number; timeZone: string }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  return (
    <DataTable<AutoReplyAnswer>
      label={say.answers}
      queryKey={[...AUTO_REPLIES, autoReplyId, 'answers']}
      fetchPage={(page, signal) => pageAnswers(autoReplyId, page, signal)}
      refetchMs={REFETCH_MS}
      rowKey={({ id }) => id}
      height={320}
      columns={[
        {
          key: 'when',
          title: say.when,
          width: '170px',
          isWide: true,
          cell: ({ timestamp }) => formats.moment(timestamp)
        },
        {
          key: 'person',
          title: say.person,
          width: '170px',
          cell: ({ recipient }) => <NumberLink number={recipient} />
        },
        {
          key: 'result',
          title: say.result,
          width: 'minmax(0, 1fr)',
          cell: ({ state, message_id: messageId, problem }) =>
            state === 'waiting' ? say.waiting : <SentOrProblem messageId={messageId} problem={problem} />
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
