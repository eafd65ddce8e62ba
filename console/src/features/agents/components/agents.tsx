import {
  ActionIcon,
  Avatar,
  Badge,
  Button,
  Group,
  NumberInput,
  Paper,
  Stack,
  Text,
  Title,
  Tooltip
} from '@mantine/core'
import { IconBrandMessenger, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, type Language, useLanguage, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { Problem } from '../../../ui/problem.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { agentGrantsQuery, changeAccess, type GrantedAgent, grantAgent, revokeAgent } from '../api/agents.ts'

const words = defineWords(
  {
    none: 'No RCS agents',
    noneHint: 'A carrier of type rbm in the carriers file brings its agent.',
    up: 'Up',
    down: 'Down',
    gone: 'Not in the carriers file',
    everybody: 'Open to every account',
    granted: 'Only for the accounts below',
    nobody: 'No account may use it.',
    launched: (list: string) => `Launch: ${list}`,
    looked: (when: string) => `Last checked with Google on ${when}.`,
    open: 'Open to everybody',
    restrict: 'Restrict',
    account: 'Account number',
    grant: 'Grant',
    revoke: (name: string) => `Revoke from ${name}`,
    revokeTitle: 'Revoke this agent?',
    revokeText:
      'Waiting messages of this account fall back to SMS. Sub-accounts that got the agent from it lose it too.',
    openTitle: 'Open this agent to everybody?',
    openText: (name: string) => `Every account may then write as ${name}.`,
    cancel: 'Cancel',
    passed: (id: number) => `passed on by account ${id}`
  },
  {
    none: 'Aucun agent RCS',
    noneHint: 'Un opérateur de type rbm dans le fichier des opérateurs apporte son agent.',
    up: 'En service',
    down: 'Hors service',
    gone: 'Absent du fichier des opérateurs',
    everybody: 'Ouvert à tous les comptes',
    granted: 'Réservé aux comptes ci-dessous',
    nobody: 'Aucun compte ne peut l’utiliser.',
    launched: (list: string) => `Lancement : ${list}`,
    looked: (when: string) => `Dernière vérification auprès de Google le ${when}.`,
    open: 'Ouvrir à tous',
    restrict: 'Réserver',
    account: 'Numéro du compte',
    grant: 'Attribuer',
    revoke: (name: string) => `Retirer à ${name}`,
    revokeTitle: 'Retirer cet agent ?',
    revokeText:
      'Les messages en attente de ce compte partent par SMS. Les sous-comptes qui tenaient l’agent de lui le perdent aussi.',
    openTitle: 'Ouvrir cet agent à tous ?',
    openText: (name: string) => `Chaque compte pourra écrire sous le nom ${name}.`,
    cancel: 'Annuler',
    passed: (id: number) => `transmis par le compte ${id}`
  }
)

/** Every agent, and the accounts that may write as it. */
export function Agents({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery(agentGrantsQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <RowsLoading rows={2} height={160} />
  if (data.length === 0) {
    return (
      <EmptyState icon={<IconBrandMessenger size={28} aria-hidden />} title={say.none}>
        {say.noneHint}
      </EmptyState>
    )
  }
  return (
    <Stack>
      {data.map((agent) => (
        <AgentCard key={agent.id} agent={agent} timeZone={timeZone} />
      ))}
    </Stack>
  )
}

function AgentCard({ agent, timeZone }: { agent: GrantedAgent; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const language = useLanguage()
  const name = agent.name ?? agent.id
  const { state, color } = stateOf(agent)
  return (
    <Paper withBorder p="md" component="section" aria-label={agent.id}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Avatar src={agent.logo_url} alt="" radius="xl" name={name} color="initials" />
            <Stack gap={0}>
              <Title order={2} size="h4">
                {name}
              </Title>
              <Text size="sm" c="dimmed">
                {[...(agent.name ? [agent.id] : []), ...agent.carriers].join(' · ')}
              </Text>
            </Stack>
            <Badge color={color} variant="filled" tt="none">
              {say[state]}
            </Badge>
          </Group>
          <Access agent={agent} name={name} />
        </Group>
        {agent.launches.length > 0 && (
          <Text size="sm">
            {say.launched(
              agent.launches.map(({ region, state }) => `${region} (${launchIn(language, state)})`).join(', ')
            )}
          </Text>
        )}
        {agent.looked_at && (
          <Text size="sm" c="dimmed">
            {[say.looked(formats.moment(agent.looked_at)), ...(agent.problem ? [agent.problem] : [])].join(' ')}
          </Text>
        )}
        <Text size="sm" fw={600}>
          {agent.access === 'granted' && agent.grants.length === 0 ? say.nobody : say[agent.access]}
        </Text>
        <Grants agent={agent} />
        <NewGrant agent={agent.id} />
      </Stack>
    </Paper>
  )
}

/** Google's words for the state of a launch; one that is not here is shown as it came. */
const LAUNCHES: Record<string, string> = {
  launched: 'lancé',
  pending: 'en attente',
  rejected: 'refusé',
  suspended: 'suspendu',
  unlaunched: 'pas lancé',
  unknown: 'inconnu'
}

function launchIn(language: Language, state: string): string {
  return language === 'fr' ? (LAUNCHES[state] ?? state) : state
}

function stateOf({ carriers, is_up: isUp }: GrantedAgent): { state: 'gone' | 'up' | 'down'; color: string } {
  if (carriers.length === 0) return { state: 'gone', color: 'gray.7' }
  return isUp ? { state: 'up', color: 'teal.9' } : { state: 'down', color: 'red.8' }
}

/** A change of an agent, after which the lists are read again. */
function useAgentChange<Given>(change: (given: Given) => Promise<unknown>, { isShown = false } = {}) {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShown },
    mutationFn: change,
    onSettled() {
      void queries.invalidateQueries({ queryKey: ['agent grants'] })
      void queries.invalidateQueries({ queryKey: ['agents'] })
    }
  })
}

function Access({ agent, name }: { agent: GrantedAgent; name: string }) {
  const say = useWords(words)
  const change = useAgentChange(changeAccess)
  const isOpen = agent.access === 'everybody'
  function act(): void {
    if (isOpen) {
      change.mutate({ agent: agent.id, access: 'granted' })
      return
    }
    askFirst({
      title: say.openTitle,
      children: say.openText(name),
      labels: { confirm: say.open, cancel: say.cancel },
      onConfirm: () => change.mutate({ agent: agent.id, access: 'everybody' })
    })
  }
  return (
    <Button variant="default" size="xs" loading={change.isPending} onClick={act}>
      {isOpen ? say.restrict : say.open}
    </Button>
  )
}

function Grants({ agent }: { agent: GrantedAgent }) {
  const say = useWords(words)
  const revoke = useAgentChange(revokeAgent)
  return agent.grants.map(({ account_id: id, account_name: account, passed_by: passedBy }) => (
    <Group key={id} gap="xs" wrap="nowrap">
      <Text size="sm">{account === '' ? id : `${account} (${id})`}</Text>
      {passedBy !== null && (
        <Text size="sm" c="dimmed">
          {say.passed(passedBy)}
        </Text>
      )}
      <Tooltip label={say.revoke(account === '' ? String(id) : account)}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={say.revoke(account === '' ? String(id) : account)}
          onClick={() =>
            askFirst({
              title: say.revokeTitle,
              children: say.revokeText,
              labels: { confirm: say.revoke(account === '' ? String(id) : account), cancel: say.cancel },
              confirmProps: { color: 'red' },
              onConfirm: () => revoke.mutate({ agent: agent.id, id })
            })
          }
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  ))
}

function NewGrant({ agent }: { agent: string }) {
  const say = useWords(words)
  const [id, setId] = useState<number>()
  const grant = useAgentChange(grantAgent, { isShown: true })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (id !== undefined) grant.mutate({ agent, id }, { onSuccess: () => setId(undefined) })
      }}
    >
      <Group align="end" gap="sm">
        <NumberInput
          label={say.account}
          size="xs"
          min={1}
          allowDecimal={false}
          hideControls
          required
          value={id ?? ''}
          onChange={(value) => setId(typeof value === 'number' ? value : undefined)}
        />
        <Button type="submit" size="xs" loading={grant.isPending}>
          {say.grant}
        </Button>
      </Group>
      {grant.isError && <Problem error={grant.error} />}
    </form>
  )
}
