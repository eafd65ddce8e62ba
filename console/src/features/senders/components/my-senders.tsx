import { Alert, Button, FileButton, Stack } from '@mantine/core'
import { IconId, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { EmptyState, ErrorState, PageLoading } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import { addProof, type Sender, sendersQuery } from '../api/senders.ts'
import { DeclareDialog } from './declare-dialog.tsx'
import { SenderCard } from './sender-card.tsx'

const words = defineWords(
  {
    declare: 'Declare a sender',
    open: 'Any valid sender works today. Declare yours now in case approval becomes required.',
    warn: 'A message from a sender that is not approved is sent with a warning.',
    enforce: 'Only approved senders can be used.',
    none: 'No sender declared',
    noneHint: 'Declare the names that your customers know you by, with a proof such as a trade mark.',
    add: 'Add a file',
    withdraw: 'Withdraw',
    withdrawTitle: 'Withdraw this sender?',
    withdrawHint: 'Its proof is deleted too. You can declare the sender again.',
    back: 'Back'
  },
  {
    declare: 'Déclarer un expéditeur',
    open: 'Tous les expéditeurs valides sont acceptés. Déclarez le vôtre dès maintenant au cas où une validation deviendrait obligatoire.',
    warn: 'Un message d’un expéditeur non accepté est envoyé avec un avertissement.',
    enforce: 'Seuls les expéditeurs acceptés sont utilisables.',
    none: 'Aucun expéditeur déclaré',
    noneHint: 'Déclarez les noms sous lesquels vos clients vous connaissent, avec un justificatif comme une marque.',
    add: 'Ajouter un fichier',
    withdraw: 'Retirer',
    withdrawTitle: 'Retirer cet expéditeur ?',
    withdrawHint: 'Son justificatif est supprimé aussi. Vous pourrez le déclarer à nouveau.',
    back: 'Retour'
  }
)

export function MySenders() {
  const say = useWords(words)
  const [isDeclaring, setDeclaring] = useState(false)
  const { data, isError, error, refetch } = useQuery(sendersQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  return (
    <Stack gap="sm">
      <Alert color={data.mode === 'open' ? 'gray' : 'orange'}>{say[data.mode]}</Alert>
      <For permission="account">
        <div>
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setDeclaring(true)}>
            {say.declare}
          </Button>
        </div>
      </For>
      {data.senders.length === 0 && (
        <EmptyState icon={<IconId size={28} aria-hidden />} title={say.none}>
          {say.noneHint}
        </EmptyState>
      )}
      {data.senders.map((sender) => (
        <OwnCard key={sender.id} sender={sender} />
      ))}
      {isDeclaring && <DeclareDialog onClose={() => setDeclaring(false)} />}
    </Stack>
  )
}

function OwnCard({ sender }: { sender: Sender }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['senders'] })
  const add = useMutation({ mutationFn: (file: File) => addProof(sender.id, file), onSuccess: refresh })
  const withdraw = useMutation({
    mutationFn: () => call('withdrawSender', { path: { id: sender.id } }),
    onSuccess: refresh
  })
  const ask = () =>
    askFirst({
      title: say.withdrawTitle,
      children: say.withdrawHint,
      labels: { confirm: say.withdraw, cancel: say.back },
      onConfirm: () => withdraw.mutate()
    })
  const actions = (
    <For permission="account">
      <FileButton onChange={(file) => file && add.mutate(file)} accept="application/pdf,image/png,image/jpeg">
        {(props) => (
          <Button {...props} variant="default" size="xs" loading={add.isPending}>
            {say.add}
          </Button>
        )}
      </FileButton>
      {sender.state !== 'disabled' && (
        <Button variant="default" size="xs" loading={withdraw.isPending} onClick={ask}>
          {say.withdraw}
        </Button>
      )}
    </For>
  )
  return <SenderCard sender={sender} proofOf={{ by: 'account' }} actions={actions} />
}
