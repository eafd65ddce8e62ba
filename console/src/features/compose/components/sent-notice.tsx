import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { defineWords, readLanguage } from '../../../lib/language.ts'
import type { Sent } from '../api/send-message.ts'
import { describeSent, hasLeft } from '../describe-sent.ts'

const words = defineWords({ undo: 'Undo' }, { undo: 'Annuler l’envoi' })

const UNDO_MS = 10_000

const idOf = (messageId: number) => `sent ${messageId}`

/** Once the message is cancelled, there is nothing to undo. */
export const hideSent = (messageId: number) => notifications.hide(idOf(messageId))

/** Says when the message leaves. One that has not left yet can be undone from here, for some seconds. */
export function showSent(sent: Sent, { timeZone, onUndo }: { timeZone: string; onUndo?: (() => void) | undefined }) {
  const message = describeSent(sent, timeZone)
  if (!onUndo || hasLeft(sent)) {
    notifications.show({ color: 'green', message })
    return
  }
  const id = idOf(sent.message_id)
  notifications.show({
    id,
    color: 'green',
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 160px">
          {message}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            onUndo()
          }}
        >
          {words[readLanguage()].undo}
        </Button>
      </Group>
    )
  })
}
