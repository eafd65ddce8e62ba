import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { defineWords, readLanguage } from '../lib/language.ts'

const words = defineWords(
  {
    title: 'Leave without saving?',
    what: 'The changes on this page are not saved. They are lost when you leave it.',
    leave: 'Leave without saving',
    stay: 'Stay'
  },
  {
    title: 'Quitter sans enregistrer ?',
    what: 'Les modifications de cette page ne sont pas enregistrées. Elles seront perdues si vous la quittez.',
    leave: 'Quitter sans enregistrer',
    stay: 'Rester'
  }
)

/** Has the browser ask before a reload or a closed tab loses running work. */
export function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isOn])
}

/** Asks before a form with changes that are not saved is left, also for another page of the console. */
export function useUnsavedWarning(isChanged: boolean): void {
  useBlocker({ shouldBlockFn: isKeptHere, disabled: !isChanged })
}

/** The skip link and a search leave the page where it is. */
const isKeptHere = ({ current, next }: { current: { pathname: string }; next: { pathname: string } }) =>
  current.pathname !== next.pathname && askToStay()

function askToStay(): Promise<boolean> {
  const say = words[readLanguage()]
  const { promise, resolve } = Promise.withResolvers<boolean>()
  modals.openConfirmModal({
    title: say.title,
    children: <Text>{say.what}</Text>,
    labels: { confirm: say.leave, cancel: say.stay },
    confirmProps: { color: 'red' },
    onConfirm: () => resolve(false),
    // However it is closed; after a confirmation, the answer is there already.
    onClose: () => resolve(true)
  })
  return promise
}
