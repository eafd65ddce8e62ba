import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconEraser } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { ExportButton } from '../../../ui/export-button.tsx'
import { useMay } from '../../account/api/may.ts'
import { downloadPerson, eraseNumber } from '../api/person.ts'

const words = defineWords(
  {
    download: 'Download everything',
    erase: 'Erase the number',
    title: (number: string) => `Erase ${number}?`,
    what: 'Its contacts, replies and texts are deleted. Messages, drafts, consents and events stay without the number.',
    after: 'A person who has opted out still gets nothing. Erasing cannot be undone.',
    confirm: 'Erase for good',
    cancel: 'Cancel',
    done: (number: string) => `${number} was erased.`,
    underWay: (number: string) =>
      `${number} was erased, but for messages that are under way to it. These messages follow when they have arrived.`
  },
  {
    download: 'Tout télécharger',
    erase: 'Effacer le numéro',
    title: (number: string) => `Effacer ${number} ?`,
    what: 'Ses contacts, réponses et textes sont supprimés. Les messages, brouillons, consentements et événements restent, sans le numéro.',
    after: 'Une personne désinscrite ne reçoit toujours rien. L’effacement est définitif.',
    confirm: 'Effacer définitivement',
    cancel: 'Annuler',
    done: (number: string) => `${number} a été effacé.`,
    underWay: (number: string) =>
      `${number} a été effacé, sauf dans les messages en route vers lui. Ces messages suivront une fois arrivés.`
  }
)

/** Acts for a person who asks about their data: a copy of it, and its end. */
export function NumberActs({ number }: { number: string }) {
  const say = useWords(words)
  const client = useQueryClient()
  const mayErase = useMay('account')
  const shown = formatPhone(number)
  const erase = useMutation({
    mutationFn: () => eraseNumber(number),
    async onSuccess({ messages_under_way: underWayCount }) {
      notifications.show({ message: underWayCount > 0 ? say.underWay(shown) : say.done(shown) })
      // Lists, messages, replies and drafts: any page may show it.
      await client.invalidateQueries()
    }
  })
  const ask = () =>
    askFirst({
      title: say.title(shown),
      children: (
        <>
          <Text>{say.what}</Text>
          <Text mt="sm">{say.after}</Text>
        </>
      ),
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => erase.mutate()
    })
  return (
    <>
      <ExportButton fetchFile={() => downloadPerson(number)} name={`${number.slice(1)}.json`} label={say.download} />
      {mayErase && (
        <Button
          variant="default"
          leftSection={<IconEraser size={16} aria-hidden />}
          loading={erase.isPending}
          onClick={ask}
        >
          {say.erase}
        </Button>
      )}
    </>
  )
}
