import { modals } from '@mantine/modals'

type Question = Omit<Parameters<typeof modals.openConfirmModal>[0], 'onConfirm'> & { onConfirm(): void }

/** Asks before an act. The dialog stays while it fades out, and a double click must not confirm twice. */
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
