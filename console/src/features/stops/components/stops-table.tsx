import { ActionIcon, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { deleteStop, pageStops, type Stop, stopsKey } from '../api/stops.ts'

const words = defineWords(
  {
    stops: 'STOPs',
    phone: 'Phone number',
    since: 'Since',
    source: 'Source',
    actions: 'Actions',
    manual: 'By hand',
    file: 'By file',
    reply: 'By a reply',
    link: 'By a link',
    button: 'By a button',
    platform: 'In the RCS app',
    message: (id: number) => `message ${id}`,
    remove: (phone: string) => `Delete the STOP of ${phone}`,
    removeTitle: (phone: string) => `Delete the STOP of ${phone}?`,
    removeHint:
      'This person will get messages again. Only do this with their consent: to write to somebody who said STOP is against the law.',
    confirm: 'Delete the STOP',
    cancel: 'Cancel',
    removed: (phone: string) => `${phone} can be written to again.`
  },
  {
    stops: 'STOP',
    phone: 'Téléphone',
    since: 'Depuis',
    source: 'Origine',
    actions: 'Actions',
    manual: 'À la main',
    file: 'Par fichier',
    reply: 'Par une réponse',
    link: 'Par un lien',
    button: 'Par un bouton',
    platform: 'Dans l’app RCS',
    message: (id: number) => `message ${id}`,
    remove: (phone: string) => `Supprimer le STOP de ${phone}`,
    removeTitle: (phone: string) => `Supprimer le STOP de ${phone} ?`,
    removeHint:
      'Cette personne recevra de nouveau des messages. Ne le faites qu’avec son accord : écrire à quelqu’un qui a dit STOP est contraire à la loi.',
    confirm: 'Supprimer le STOP',
    cancel: 'Annuler',
    removed: (phone: string) => `Vous pouvez de nouveau écrire au ${phone}.`
  }
)

export function StopsTable({ search, empty }: { search: string; empty: ReactNode }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const askToDelete = useDeleteStop()
  const mayChange = useMay('contacts')
  return (
    <DataTable
      label={say.stops}
      queryKey={stopsKey(search)}
      fetchPage={(page, signal) => pageStops({ ...page, search }, signal)}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'phone',
          title: say.phone,
          width: 'minmax(140px, 1fr)',
          cell: ({ recipient }) => <NumberLink number={recipient} />
        },
        { key: 'since', title: say.since, width: '1fr', isWide: true, cell: (stop) => formats.moment(stop.timestamp) },
        {
          key: 'source',
          title: say.source,
          width: 'minmax(0, 1fr)',
          cell: ({ way, message_id: id }, isNarrow) => {
            if (id === null) return say[way]
            if (!isNarrow) return `${say[way]}, ${say.message(id)}`
            return (
              <>
                {say[way]}
                <Text size="xs" c="dimmed">
                  {say.message(id)}
                </Text>
              </>
            )
          }
        },
        ...(mayChange
          ? [
              {
                key: 'actions',
                title: say.actions,
                isTitleHidden: true,
                width: '36px',
                cell: (stop: Stop) => (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={say.remove(formatPhone(stop.recipient))}
                    onClick={() => askToDelete(stop)}
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

function useDeleteStop() {
  const say = useWords(words)
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: Stop) => deleteStop(id),
    async onSuccess(_answer, { recipient }) {
      notifications.show({ message: say.removed(formatPhone(recipient)) })
      await client.invalidateQueries({ queryKey: ['stops'] })
    }
  })
  return (stop: Stop) =>
    askFirst({
      title: say.removeTitle(formatPhone(stop.recipient)),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(stop)
    })
}
