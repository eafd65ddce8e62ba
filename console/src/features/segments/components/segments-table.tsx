import { ActionIcon, Badge, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { deleteSegment, pageSegments, SEGMENTS, type Segment } from '../api/segments.ts'

const words = defineWords(
  {
    segments: 'Segments',
    name: 'Name',
    state: 'State',
    fine: 'Ready',
    broken: 'To fix',
    changed: 'Changed',
    actions: 'Actions',
    remove: (name: string) => `Delete ${name}`,
    removeTitle: (name: string) => `Delete ${name}?`,
    removeHint: 'Only the rules are deleted. The contacts are kept.',
    confirm: 'Delete the segment',
    cancel: 'Cancel',
    removed: (name: string) => `${name} was deleted.`
  },
  {
    segments: 'Segments',
    name: 'Nom',
    state: 'Statut',
    fine: 'Prêt',
    broken: 'À corriger',
    changed: 'Modifié le',
    actions: 'Actions',
    remove: (name: string) => `Supprimer ${name}`,
    removeTitle: (name: string) => `Supprimer ${name} ?`,
    removeHint: 'Seules les règles sont supprimées. Les contacts sont conservés.',
    confirm: 'Supprimer le segment',
    cancel: 'Annuler',
    removed: (name: string) => `${name} a été supprimé.`
  }
)

export function SegmentsTable({ search, empty }: { search: string; empty: ReactNode }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const askToDelete = useDeleteSegment()
  const mayChange = useMay('contacts')
  return (
    <DataTable<Segment>
      label={say.segments}
      queryKey={[...SEGMENTS, 'pages', search]}
      fetchPage={(page, signal) => pageSegments({ ...page, search }, signal)}
      rowKey={({ id }) => id}
      linkOf={({ id }) => `/segments/${id}`}
      columns={[
        { key: 'name', title: say.name, width: 'minmax(0, 2fr)', cell: ({ name }) => name },
        {
          key: 'state',
          title: say.state,
          width: '120px',
          cell: ({ problems }) => (
            <Badge color={problems.length === 0 ? 'teal.9' : 'red.8'} variant="filled" tt="none">
              {problems.length === 0 ? say.fine : say.broken}
            </Badge>
          )
        },
        {
          key: 'changed',
          title: say.changed,
          width: '140px',
          isWide: true,
          cell: (segment) => formats.day(segment.updated_at)
        },
        ...(mayChange
          ? [
              {
                key: 'actions',
                title: say.actions,
                isTitleHidden: true,
                width: '36px',
                cell: (segment: Segment) => (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={say.remove(segment.name)}
                    onClick={() => askToDelete(segment)}
                  >
                    <IconTrash size={18} aria-hidden />
                  </ActionIcon>
                )
              }
            ]
          : [])
      ]}
      empty={empty}
    />
  )
}

function useDeleteSegment() {
  const say = useWords(words)
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: Segment) => deleteSegment(id),
    async onSuccess(_answer, { name }) {
      notifications.show({ message: say.removed(name) })
      await client.invalidateQueries({ queryKey: SEGMENTS })
    }
  })
  return (segment: Segment) =>
    askFirst({
      title: say.removeTitle(segment.name),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(segment)
    })
}
