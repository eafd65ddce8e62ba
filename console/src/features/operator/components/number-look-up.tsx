import { Anchor, Badge, Button, Code, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Unfolding } from '../../../ui/unfolding.tsx'
import { DeliverBadge } from '../../messages/components/state-badge.tsx'
import { Steps } from '../../messages/components/steps.tsx'
import { lookUpNumber, type NumberHistory } from '../api/operator.ts'

type Item = NumberHistory['items'][number]

const words = defineWords(
  {
    about:
      'Shows every message, reply and STOP of a number, of all accounts. The search is written into the audit trail of each account that it shows.',
    number: 'Phone number',
    find: 'Find',
    more: 'Older',
    none: 'Nothing is stored about this number.',
    stopped: 'This number is on the operator’s list of STOPs: no account can write to it.',
    kinds: { message: 'Message', reply: 'Reply', stop: 'STOP' },
    from: (sender: string) => `from ${sender}`,
    to: (number: string) => `to ${number}`,
    through: (carrier: string) => `through ${carrier}`,
    timeline: 'What happened',
    error: 'Error',
    ways: {
      reply: 'By a reply',
      link: 'By a link',
      button: 'By an RCS button',
      platform: 'In the RCS app',
      manual: 'Added by hand',
      file: 'Added by a file'
    }
  },
  {
    about:
      'Affiche chaque message, réponse et STOP d’un numéro, tous comptes confondus. La recherche est inscrite au journal de chaque compte affiché.',
    number: 'Numéro de téléphone',
    find: 'Rechercher',
    more: 'Plus anciens',
    none: 'Rien n’est enregistré sur ce numéro.',
    stopped: 'Ce numéro est sur la liste STOP de l’exploitant : aucun compte ne peut lui écrire.',
    kinds: { message: 'Message', reply: 'Réponse', stop: 'STOP' },
    from: (sender: string) => `de ${sender}`,
    to: (number: string) => `à ${number}`,
    through: (carrier: string) => `par ${carrier}`,
    timeline: 'Ce qui s’est passé',
    error: 'Erreur',
    ways: {
      reply: 'Par une réponse',
      link: 'Par un lien',
      button: 'Par un bouton RCS',
      platform: 'Dans l’application RCS',
      manual: 'Ajouté à la main',
      file: 'Ajouté par un fichier'
    }
  }
)

/** The everyday question of support: what became of the messages to this number? */
export function NumberLookUp({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const [number, setNumber] = useState('')
  const [items, setItems] = useState<Item[]>([])
  const look = useMutation({
    meta: { isShown: true },
    mutationFn: lookUpNumber,
    onSuccess: (answer, { before }) => setItems((shown) => [...(before === undefined ? [] : shown), ...answer.items])
  })
  function find(event: FormEvent): void {
    event.preventDefault()
    setItems([])
    look.mutate({ recipient: number })
  }
  const { data } = look
  return (
    <Stack>
      <form onSubmit={find}>
        <Stack gap="xs">
          <Text size="sm" c="dimmed" maw={720}>
            {say.about}
          </Text>
          <Group align="flex-end">
            <TextInput
              label={say.number}
              type="tel"
              required
              maxLength={255}
              value={number}
              onChange={(event) => setNumber(event.currentTarget.value)}
            />
            <Button type="submit" loading={look.isPending && items.length === 0}>
              {say.find}
            </Button>
          </Group>
        </Stack>
      </form>
      {look.isError && <Problem error={look.error} />}
      {data && (
        <>
          <Title order={2} size="h4" className="digits">
            {formatPhone(data.recipient)}
          </Title>
          {data.is_stopped_for_all && <Text fw={600}>{say.stopped}</Text>}
          {items.length === 0 && <Text role="status">{say.none}</Text>}
        </>
      )}
      {items.map((item) => (
        <Entry
          key={`${item.kind} ${item.account_id} ${item.at} ${item.recipient_id}`}
          item={item}
          timeZone={timeZone}
        />
      ))}
      {data?.next && (
        <Button
          variant="default"
          loading={look.isPending}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => look.mutate({ recipient: data.recipient, before: data.next ?? '' })}
        >
          {say.more}
        </Button>
      )}
    </Stack>
  )
}

function Entry({ item, timeZone }: { item: Item; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const { kind, channel, sender, carrier } = item
  const facts = [
    ...(channel ? [channel.toUpperCase()] : []),
    ...(sender ? [kind === 'reply' ? say.to(sender) : say.from(sender)] : []),
    ...(carrier ? [say.through(carrier)] : []),
    ...(item.way ? [say.ways[item.way]] : [])
  ]
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <Group gap="sm">
          <Badge
            variant={kind === 'message' ? 'default' : 'filled'}
            color={kind === 'reply' ? 'blue.8' : 'orange.9'}
            tt="none"
          >
            {say.kinds[kind]}
          </Badge>
          {item.deliver !== null && <DeliverBadge deliver={item.deliver} />}
          <Text size="sm">{formats.moment(item.at)}</Text>
          <Anchor component={Link} to={`/operator/accounts/${item.account_id}`} size="sm">
            {item.account_name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
        </Group>
        {item.content !== '' && (
          <Text size="sm" className="words">
            {item.content}
          </Text>
        )}
        {item.errorcode && (
          <Text size="sm">
            {say.error} <Code>{item.errorcode}</Code>
          </Text>
        )}
        {item.timeline.length > 0 && (
          <Unfolding label={say.timeline} isOpen={false}>
            <Steps steps={item.timeline} timeZone={timeZone} />
          </Unfolding>
        )}
      </Stack>
    </Paper>
  )
}
