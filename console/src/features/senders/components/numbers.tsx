import { Badge, Button, Group, Modal, Paper, Stack, TagsInput, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ErrorState, PageLoading } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import { numbersQuery, type ServiceNumber } from '../api/senders.ts'

const words = defineWords(
  {
    about:
      'Numbers and short codes of this service. A STOP sent to a shared number counts for every account that wrote to that person from it.',
    free: 'Free to every account',
    own: 'Granted to you',
    shared: 'Shared',
    gone: 'Not in the carriers file',
    grant: 'Grant',
    title: (number: string) => `Grant ${number}`,
    accounts: 'Ids of accounts; none means every account',
    save: 'Save',
    back: 'Back'
  },
  {
    about:
      'Les numéros et numéros courts de ce service. Un STOP envoyé à un numéro partagé vaut pour chaque compte qui a écrit à cette personne depuis ce numéro.',
    free: 'Libre pour tous les comptes',
    own: 'Attribué à vous',
    shared: 'Partagé',
    gone: 'Absent du fichier des opérateurs',
    grant: 'Attribuer',
    title: (number: string) => `Attribuer ${number}`,
    accounts: 'N° des comptes ; aucun signifie tous',
    save: 'Enregistrer',
    back: 'Retour'
  }
)

export function Numbers({ isOperator }: { isOperator: boolean }) {
  const say = useWords(words)
  const [granting, setGranting] = useState<ServiceNumber>()
  const { data, isError, error, refetch } = useQuery(numbersQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const holdersOf = ({ is_free: isFree, accounts }: ServiceNumber) => {
    if (isFree) return say.free
    return accounts.map(({ id, name }) => `${name || '–'} (${id})`).join(', ') || say.own
  }
  return (
    <Stack gap="sm">
      <Text c="dimmed">{say.about}</Text>
      {data.map((number) => (
        <Paper key={number.number} withBorder p="sm" component="section" aria-label={number.number}>
          <Group justify="space-between">
            <Group gap="sm">
              <Text fw={600} ff="monospace">
                {shown(number.number)}
              </Text>
              <Text size="sm">{holdersOf(number)}</Text>
              {number.is_shared && (
                <Badge variant="dot" color="orange" tt="none">
                  {say.shared}
                </Badge>
              )}
              {!number.is_listed && (
                <Badge variant="dot" color="red" tt="none">
                  {say.gone}
                </Badge>
              )}
            </Group>
            {isOperator && (
              <For permission="account">
                <Button size="xs" variant="default" onClick={() => setGranting(number)}>
                  {say.grant}
                </Button>
              </For>
            )}
          </Group>
        </Paper>
      ))}
      {granting && <GrantDialog number={granting} onClose={() => setGranting(undefined)} />}
    </Stack>
  )
}

/** Short codes as they are; the service names others by their digits alone. */
const shown = (number: string) => (number.length > SHORT_CODE_MAX ? formatPhone(`+${number}`) : number)
const SHORT_CODE_MAX = 6

function GrantDialog({ number, onClose }: { number: ServiceNumber; onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [ids, setIds] = useState(number.accounts.map(({ id }) => String(id)))
  const grant = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('grantNumber', { body: { number: number.number, accounts: ids.map(Number) } }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['senders'] })
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    grant.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={say.title(number.number)}>
      <form onSubmit={submit}>
        <Stack>
          {grant.isError && <Problem error={grant.error} />}
          <TagsInput
            label={say.accounts}
            value={ids}
            onChange={(values) => setIds(values.filter((value) => /^\d+$/.test(value)))}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" loading={grant.isPending}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
