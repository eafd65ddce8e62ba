import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { AUTOMATIONS, type Automation, deleteAutomation, turn } from '../api/automations.ts'

const words = defineWords(
  {
    turnOn: 'Turn on',
    turnOff: 'Turn off',
    isOn: (name: string) => `${name} is on.`,
    isOff: (name: string) => `${name} is off.`,
    remove: 'Delete',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeHint: 'It does not run any more, and its history is lost. The messages that it sent stay.',
    confirm: 'Delete the automation',
    cancel: 'Keep it',
    removed: (name: string) => `${name} was deleted.`
  },
  {
    turnOn: 'Activer',
    turnOff: 'Arrêter',
    isOn: (name: string) => `${name} est active.`,
    isOff: (name: string) => `${name} est arrêtée.`,
    remove: 'Supprimer',
    removeTitle: (name: string) => `Supprimer ${name} ?`,
    removeHint: 'Elle ne s’exécutera plus, et son historique est perdu. Les messages envoyés sont conservés.',
    confirm: 'Supprimer l’automatisation',
    cancel: 'La garder',
    removed: (name: string) => `${name} a été supprimée.`
  }
)

/** What can be done with an automation besides a change: on, off, and away. */
export function useAutomationActs(automation: Automation, { onDeleted }: { onDeleted?(): void } = {}) {
  const say = useWords(words)
  const client = useQueryClient()
  const { id, name, is_on: isOn } = automation
  const refresh = () => client.invalidateQueries({ queryKey: AUTOMATIONS })
  const turning = useMutation({
    mutationFn: () => turn(automation, !isOn),
    async onSuccess(changed) {
      notifications.show({ message: changed.is_on ? say.isOn(name) : say.isOff(name) })
      await refresh()
    }
  })
  const removing = useMutation({
    mutationFn: () => deleteAutomation(id),
    async onSuccess() {
      notifications.show({ message: say.removed(name) })
      client.removeQueries({ queryKey: [...AUTOMATIONS, id] })
      onDeleted?.()
      await refresh()
    }
  })
  function askToDelete(): void {
    askFirst({
      title: say.removeTitle(name),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.confirm, cancel: say.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => removing.mutate()
    })
  }
  return {
    isPending: turning.isPending || removing.isPending,
    items: [
      { label: isOn ? say.turnOff : say.turnOn, isRed: false, act: () => turning.mutate() },
      { label: say.remove, isRed: true, act: askToDelete }
    ]
  }
}
