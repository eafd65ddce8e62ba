import { Button, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { type Proof, ProofDialog } from './proof-dialog.tsx'

interface Given<T> {
  label: string
  title: string
  hint: string
  /** Whose secret it is. */
  name: string
  /** A secret that was replaced is not offered to be replaced again, while the new one is still shown. */
  isOffered?: boolean
  rotate(proof: Proof): Promise<T>
  onRotated(): void
  /** Shows the new secret, which nobody can see again. */
  show(fresh: T, onDone: () => void): ReactNode
}

/** A button that replaces a secret, once the person has proved who they are, and shows the new one until it is kept. */
export function RotateSecret<T>({ label, title, hint, name, isOffered = true, rotate, onRotated, show }: Given<T>) {
  const [isAsking, setAsking] = useState(false)
  const { data, mutateAsync, reset } = useMutation({
    meta: { isShown: true },
    mutationFn: rotate,
    onSuccess() {
      setAsking(false)
      onRotated()
    }
  })
  return (
    <>
      {isOffered && (
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {label}
        </Button>
      )}
      <ProofDialog
        isOpen={isAsking}
        title={title}
        hint={hint}
        label={label}
        onClose={() => setAsking(false)}
        act={mutateAsync}
      />
      {data && (
        <Modal opened onClose={reset} title={name} {...ONLY_WHEN_KEPT}>
          {show(data, reset)}
        </Modal>
      )}
    </>
  )
}
