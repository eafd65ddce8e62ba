import { Anchor, Badge, Button, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import type { Trial } from '../api/trials.ts'

const words = defineWords(
  {
    variant: (label: string) => `Variant ${label}`,
    winner: 'Winner',
    message: 'Its message',
    recipients: 'Recipients',
    sent: 'Sent',
    delivered: 'Delivered',
    clicked: 'Clicked',
    replied: 'Replied',
    opted_out: 'Opted out',
    rate: 'Rate',
    chance: 'Chance of being the best',
    choose: (label: string) => `Choose ${label}`,
    chooseTitle: (label: string) => `Send ${label} to the rest?`,
    chooseHint: (rest: number) => `${counted('en', rest, 'person gets', 'people get')} it now. This can’t be undone.`,
    keep: 'Not yet'
  },
  {
    variant: (label: string) => `Variante ${label}`,
    winner: 'Gagnante',
    message: 'Son message',
    recipients: 'Destinataires',
    sent: 'Envoyés',
    delivered: 'Délivrés',
    clicked: 'Clics',
    replied: 'Réponses',
    opted_out: 'Désinscrits',
    rate: 'Taux',
    chance: 'Probabilité d’être la meilleure',
    choose: (label: string) => `Choisir ${label}`,
    chooseTitle: (label: string) => `Envoyer ${label} au reste ?`,
    chooseHint: (rest: number) =>
      `${counted('fr', rest, 'personne la reçoit', 'personnes la reçoivent')} maintenant. C’est définitif.`,
    keep: 'Pas encore'
  }
)

const COUNTS = ['recipients', 'sent', 'delivered', 'clicked', 'replied', 'opted_out'] as const

/** The variants side by side, each with its text and figures. */
export function Variants({ trial, onChoose }: { trial: Trial; onChoose?: ((label: string) => void) | undefined }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: trial.variants.length }}>
      {trial.variants.map((variant) => (
        <Variant key={variant.label} trial={trial} variant={variant} onChoose={onChoose} />
      ))}
    </SimpleGrid>
  )
}

function Variant({
  trial,
  variant,
  onChoose
}: {
  trial: Trial
  variant: Trial['variants'][number]
  onChoose: ((label: string) => void) | undefined
}) {
  const say = useWords(words)
  const formats = useFormats()
  const { label, message, message_id, rate, chance } = variant
  // Before anything is delivered, all variants are as good: the chance would say nothing.
  const isMeasured = trial.variants.some(({ delivered }) => delivered > 0)
  const ask = () =>
    askFirst({
      title: say.chooseTitle(label),
      children: <Text>{say.chooseHint(trial.rest.recipients)}</Text>,
      labels: { confirm: say.choose(label), cancel: say.keep },
      onConfirm: () => onChoose?.(label)
    })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.variant(label)}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say.variant(label)}
          </Title>
          {trial.winner === label && (
            <Badge color="teal.9" variant="filled" tt="none">
              {say.winner}
            </Badge>
          )}
        </Group>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{textOf(message)}</Text>
        <Table>
          <Table.Tbody>
            {COUNTS.map((name) => (
              <Fact key={name} name={say[name]} value={formats.number(variant[name])} />
            ))}
            {rate !== null && <Fact name={say.rate} value={formats.percent(rate, 1)} />}
            {chance !== null && isMeasured && <Fact name={say.chance} value={formats.percent(chance, 1)} />}
          </Table.Tbody>
        </Table>
        {message_id !== null && (
          <Anchor component={Link} to={`/messages/${message_id}`}>
            {say.message}
          </Anchor>
        )}
        {onChoose && (
          <Button variant="default" onClick={ask}>
            {say.choose(label)}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <Table.Tr>
      <Table.Th fw={400}>{name}</Table.Th>
      <Table.Td ta="right" className="digits">
        {value}
      </Table.Td>
    </Table.Tr>
  )
}

/** The text of an SMS, or what can be shown of an RCS in a line. */
function textOf({ content, data }: Record<string, unknown>): string {
  if (typeof content === 'string') return content
  const { text, title, cards } = (data ?? {}) as { text?: string; title?: string; cards?: { title?: string }[] }
  return text ?? title ?? cards?.[0]?.title ?? ''
}
