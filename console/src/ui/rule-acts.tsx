import { ActionIcon, Badge, Button, Menu, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDotsVertical } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { defineWords, useWords } from '../lib/language.ts'
import { askFirst } from './ask-first.ts'
import type { Column } from './data-table.tsx'

/* What rules have in common, such as automations and auto-replies: each is on or off, and can be deleted. */

const words = defineWords(
  {
    actions: 'Actions',
    on: 'On',
    off: 'Off',
    failed: 'Problem',
    turnOn: 'Turn on',
    turnOff: 'Turn off',
    isOn: (name: string) => `${name} is on.`,
    isOff: (name: string) => `${name} is off.`,
    remove: 'Delete',
    removeTitle: (name: string) => `Delete ${name}?`,
    cancel: 'Cancel',
    removed: (name: string) => `${name} was deleted.`,
    menu: (name: string) => `Actions for ${name}`
  },
  {
    actions: 'Actions',
    on: 'Active',
    off: 'Arrêtée',
    failed: 'Problème',
    turnOn: 'Activer',
    turnOff: 'Arrêter',
    isOn: (name: string) => `${name} est active.`,
    isOff: (name: string) => `${name} est arrêtée.`,
    remove: 'Supprimer',
    removeTitle: (name: string) => `Supprimer ${name} ?`,
    cancel: 'Annuler',
    removed: (name: string) => `${name} a été supprimée.`,
    menu: (name: string) => `Actions pour ${name}`
  }
)

export interface RuleActs {
  rule: { id: number; name: string; is_on: boolean }
  /** Of all rules of this kind; the query of one rule has its id behind it. */
  queryKey: readonly unknown[]
  turn(isOn: boolean): Promise<{ is_on: boolean }>
  remove(): Promise<unknown>
  /** What a deletion means, and the words of its button. */
  removal: { hint: string; confirm: string }
  onDeleted?: (() => void) | undefined
}

function useActs({ rule: { id, name, is_on: isOn }, queryKey, turn, remove, removal, onDeleted }: RuleActs) {
  const say = useWords(words)
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey })
  const turning = useMutation({
    mutationFn: () => turn(!isOn),
    async onSuccess(changed) {
      notifications.show({ message: changed.is_on ? say.isOn(name) : say.isOff(name) })
      await refresh()
    }
  })
  const removing = useMutation({
    mutationFn: remove,
    async onSuccess() {
      notifications.show({ message: say.removed(name) })
      client.removeQueries({ queryKey: [...queryKey, id] })
      onDeleted?.()
      await refresh()
    }
  })
  function askToDelete(): void {
    askFirst({
      title: say.removeTitle(name),
      children: <Text>{removal.hint}</Text>,
      labels: { confirm: removal.confirm, cancel: say.cancel },
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

/** On the page of a rule. */
export function RuleButtons(given: RuleActs) {
  const { items, isPending } = useActs(given)
  return items.map(({ label, isRed, act }) => (
    <Button
      key={label}
      variant="default"
      loading={isPending}
      onClick={act}
      {...(isRed && { c: 'var(--mantine-color-error)' })}
    >
      {label}
    </Button>
  ))
}

/** The column of a table that holds the menu of each rule. */
export function useActsColumn<Rule>(cell: (rule: Rule) => ReactNode): Column<Rule> {
  return { key: 'actions', title: useWords(words).actions, isTitleHidden: true, width: '36px', cell }
}

/** In the row of a table, which a click opens. */
export function RuleMenu(given: RuleActs) {
  const say = useWords(words)
  const { items, isPending } = useActs(given)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps clicks from the row; the button and the menu are reached by key.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row opens by Enter only when it has the focus itself.
    <div onClick={(event) => event.stopPropagation()}>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={say.menu(given.rule.name)} loading={isPending}>
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

export function RuleBadge({ isOn, isFailed = false }: { isOn: boolean; isFailed?: boolean }) {
  const say = useWords(words)
  const [color, word] = !isOn ? ['gray.7', say.off] : isFailed ? ['red.8', say.failed] : ['teal.9', say.on]
  return (
    <Badge color={color} variant="filled" tt="none">
      {word}
    </Badge>
  )
}
