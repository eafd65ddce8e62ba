import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { RuleBadge, RuleMenu, useActsColumn } from '../../../ui/rule-acts.tsx'
import { useMay } from '../../account/api/may.ts'
import { AUTO_REPLIES, type AutoReply, pageAutoReplies } from '../api/auto-replies.ts'
import { useAutoReplyActs } from './auto-reply-acts.ts'

const words = defineWords(
  {
    label: 'Auto-replies',
    name: 'Name',
    keywords: 'Keywords',
    number: 'Number',
    anyNumber: 'Any number',
    state: 'State'
  },
  {
    label: 'Réponses automatiques',
    name: 'Nom',
    keywords: 'Mots-clés',
    number: 'Numéro',
    anyNumber: 'Tous',
    state: 'Statut'
  }
)

export function AutoRepliesTable({ empty }: { empty: ReactNode }) {
  const say = useWords(words)
  const mayChange = useMay('send')
  const acts = useActsColumn<AutoReply>((autoReply) => <Acts autoReply={autoReply} />)
  return (
    <DataTable<AutoReply>
      label={say.label}
      queryKey={[...AUTO_REPLIES, 'pages']}
      fetchPage={pageAutoReplies}
      rowHeight={64}
      rowKey={({ id }) => id}
      linkOf={({ id }) => `/auto-replies/${id}`}
      columns={[
        {
          key: 'name',
          title: say.name,
          width: 'minmax(0, 2fr)',
          cell: ({ name, content, keywords }, isNarrow) => (
            <Stack gap={0}>
              <Text size="sm" className="cut">
                {name}
              </Text>
              <Text size="xs" c="dimmed" className="cut">
                {isNarrow ? [keywords.join(', '), content].join(' · ') : content}
              </Text>
            </Stack>
          )
        },
        {
          key: 'keywords',
          title: say.keywords,
          width: 'minmax(0, 1fr)',
          isWide: true,
          cell: ({ keywords }) => keywords.join(', ')
        },
        {
          key: 'number',
          title: say.number,
          width: '160px',
          isWide: true,
          cell: ({ number }) => number ?? say.anyNumber
        },
        { key: 'state', title: say.state, width: '100px', cell: ({ is_on: isOn }) => <RuleBadge isOn={isOn} /> },
        ...(mayChange ? [acts] : [])
      ]}
      empty={empty}
    />
  )
}

function Acts({ autoReply }: { autoReply: AutoReply }) {
  return <RuleMenu {...useAutoReplyActs(autoReply)} />
}
