import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Proof, ProofFields } from './proof-fields.tsx'

const words = defineWords({ back: 'Back' }, { back: 'Retour' })

export type { Proof }

interface Given {
  title: string
  hint: string
  label: string
  isOpen: boolean
  isDanger?: boolean
  /** Fields of the act itself. */
  children?: ReactNode
  onClose(): void
  act(proof: Proof): Promise<unknown>
}

/** Asks for the password, or a code: an unlocked tab alone must not change what opens the account. */
export function ProofDialog({ isOpen, title, onClose, ...given }: Given) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <ProofForm {...given} onClose={onClose} />
    </Modal>
  )
}

function ProofForm({ hint, label, isDanger, children, onClose, act }: Omit<Given, 'isOpen' | 'title'>) {
  const say = useWords(words)
  const [proof, setProof] = useState<Proof>({})
  const work = useMutation({ meta: { isShown: true }, mutationFn: () => act(proof) })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!work.isPending) work.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{hint}</Text>
        {children}
        <ProofFields proof={proof} onChange={setProof} isFirst />
        {work.error && (
          <Alert color="red" role="alert">
            {work.error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.back}
          </Button>
          <Button type="submit" loading={work.isPending} {...(isDanger && { color: 'red' })}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
