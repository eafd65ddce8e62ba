import { ActionIcon, Badge, Menu, Stack, Text } from '@mantine/core'
import { IconDotsVertical } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { inLanguage } from '../../../lib/refusals.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { AUTOMATIONS, type Automation, pageAutomations } from '../api/automations.ts'
import { describeSchedule } from '../schedule.ts'
import { useAutomationActs } from './automation-acts.tsx'

const words = defineWords(
  {
    automations: 'Automations',
    name: 'Name',
    state: 'State',
    on: 'On',
    off: 'Off',
    failed: 'Problem',
    next: 'Next run',
    last: 'Last run',
    none: 'None yet',
    actions: 'Actions',
    menu: (name: string) => `What to do with ${name}`
  },
  {
    automations: 'Automatisations',
    name: 'Nom',
    state: 'État',
    on: 'Active',
    off: 'Arrêtée',
    failed: 'Problème',
    next: 'Prochaine exécution',
    last: 'Dernière exécution',
    none: 'Aucune',
    actions: 'Actions',
    menu: (name: string) => `Actions pour ${name}`
  }
)

const REFETCH_MS = 15_000

export function AutomationsTable({ empty }: { empty: ReactNode }) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats(useMe()?.time_zone)
  const navigate = useNavigate()
  const mayChange = useMay('send')
  return (
    <DataTable<Automation>
      label={say.automations}
      queryKey={[...AUTOMATIONS, 'pages']}
      fetchPage={pageAutomations}
      refetchMs={REFETCH_MS}
      rowHeight={64}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/automations/$id', params: { id: String(id) } })}
      columns={[
        {
          key: 'name',
          title: say.name,
          width: 'minmax(0, 2fr)',
          cell: ({ name, schedule, last_problem: problem }) => (
            <Stack gap={0}>
              <Text className="cut">{name}</Text>
              <Text size="sm" c={problem === null ? 'dimmed' : 'var(--mantine-color-error)'} className="cut">
                {problem === null ? describeSchedule(schedule, language) : inLanguage(problem)}
              </Text>
            </Stack>
          )
        },
        { key: 'state', title: say.state, width: '110px', cell: (automation) => <AutomationState {...automation} /> },
        {
          key: 'next',
          title: say.next,
          width: '170px',
          isWide: true,
          cell: ({ next_at: at }) => (at === null ? '–' : formats.moment(at))
        },
        {
          key: 'last',
          title: say.last,
          width: '170px',
          isWide: true,
          cell: ({ last_run_at: at }) => (at === null ? say.none : formats.moment(at))
        },
        ...(mayChange
          ? [
              {
                key: 'actions',
                title: say.actions,
                isTitleHidden: true,
                width: '36px',
                cell: (automation: Automation) => <Acts automation={automation} />
              }
            ]
          : [])
      ]}
      empty={empty}
    />
  )
}

export function AutomationState({ is_on: isOn, last_problem: problem }: Pick<Automation, 'is_on' | 'last_problem'>) {
  const say = useWords(words)
  const [color, word] = !isOn ? ['gray.7', say.off] : problem === null ? ['teal.9', say.on] : ['red.8', say.failed]
  return (
    <Badge color={color} variant="filled" tt="none">
      {word}
    </Badge>
  )
}

/** In the row of a table, which a click opens. */
function Acts({ automation }: { automation: Automation }) {
  const say = useWords(words)
  const { items, isPending } = useAutomationActs(automation)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps clicks from the row; the button and the menu are reached by key.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row opens by Enter only when it has the focus itself.
    <div onClick={(event) => event.stopPropagation()}>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={say.menu(automation.name)} loading={isPending}>
            <IconDotsVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(({ label, isRed, act }) => (
            <Menu.Item key={label} onClick={act} {...(isRed && { c: 'var(--mantine-color-error)' })}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
