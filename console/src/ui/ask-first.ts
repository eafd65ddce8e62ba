import { modals } from '@mantine/modals'

type Question = Omit<Parameters<typeof modals.openConfirmModal>[0], 'onConfirm'> & { onConfirm(): void }

/** Asks before something is done. The dialog is still there while it fades away, and a double click must not do it twice. */
export function askFirst({ onConfirm, ...question }: Question): void {
  let isDone = false
  modals.openConfirmModal({
    ...question,
    onConfirm() {
      if (isDone) return
      isDone = true
      onConfirm()
    }
  })
}
