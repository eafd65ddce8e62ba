import { Alert, Anchor, Badge, Code, Group, Loader, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { costOf, type UnitPrice } from '../../../lib/money.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { Problem } from '../../../ui/problem.tsx'
import { useMe } from '../../account/api/me.ts'
import type { Figures } from '../api/dry-run.ts'
import { EndNote, isLateWarning } from './end-note.tsx'
import classes from './summary-card.module.css'

const words = defineWords(
  {
    title: 'Cost',
    hint: 'Write a message to see its cost.',
    forOne: 'For one recipient, until you choose the recipients.',
    largeFile: 'For one person: a file of this size is counted when you send it, before you confirm.',
    recipients: 'Recipients',
    segments: 'SMS segments',
    rcs: 'RCS messages',
    credits: 'Credits',
    left: 'Balance after sending',
    price: 'Price',
    doublons: 'Duplicate',
    stops: 'Opted out',
    barred: 'In a country that is not allowed',
    unpriced: 'In a country without a price',
    limited: 'Over the hourly limit',
    no_consent: 'Without consent',
    capped: 'Over the marketing limit',
    invalid: 'Not a mobile number',
    dropped: 'Left out:',
    withoutPrice: 'No price for:',
    unasked: (count: number) =>
      counted('en', count, 'recipient has given no consent.', 'recipients have given no consent.'),
    missing: (count: number) => counted('en', count, 'credit is missing.', 'credits are missing.'),
    ask: 'Ask for credits',
    add: 'Add credits',
    gsm: 'Standard alphabet',
    ucs2: 'Unicode',
    forcedBy: 'These characters make each segment hold 70 letters instead of 160:'
  },
  {
    title: 'Coût de l’envoi',
    hint: 'Écrivez un message pour voir son coût.',
    forOne: 'Pour une personne, tant que les destinataires ne sont pas choisis.',
    largeFile: 'Pour une personne : un fichier de cette taille est décompté à l’envoi, avant votre confirmation.',
    recipients: 'Destinataires',
    segments: 'Segments SMS',
    rcs: 'Messages RCS',
    credits: 'Crédits',
    left: 'Solde après l’envoi',
    price: 'Prix',
    doublons: 'Doublons',
    stops: 'Désinscrits',
    barred: 'Dans des pays non autorisés',
    unpriced: 'Dans des pays sans prix',
    limited: 'Au-delà de la limite horaire',
    no_consent: 'Sans consentement',
    capped: 'Au-delà de la limite marketing',
    invalid: 'Numéro non mobile',
    dropped: 'Écartés :',
    withoutPrice: 'Sans prix :',
    unasked: (count: number) =>
      `${counted('fr', count, 'destinataire n’a', 'destinataires n’ont')} pas donné de consentement.`,
    missing: (count: number) => `Il manque ${counted('fr', count, 'crédit', 'crédits')}.`,
    ask: 'Demander des crédits',
    add: 'Ajouter des crédits',
    gsm: 'Alphabet standard',
    ucs2: 'Unicode',
    forcedBy: 'Ces caractères ramènent chaque segment de 160 à 70 lettres :'
  }
)

interface Given {
  figures: Figures | undefined
  isLoading: boolean
  error: Error | null
  /** Whether the figures are of all recipients, or of one sample number. */
  isForAll: boolean
  isLargeFile: boolean
  /** The figures are of an earlier draft: those of this one are being loaded. */
  isStale: boolean
  /** Undefined where the account has no price of its own: then no amount is shown. */
  unitPrice: UnitPrice | undefined
  /** By when it should have left; undefined of a message that is repeated, whose end is not shown. */
  deadline?: string | null
  /** What the figures are of, where that is not plain. */
  note?: string
}

export function SummaryCard({ figures, isLoading, error, isStale, note, ...given }: Given) {
  const say = useWords(words)
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title} className={classes.card}>
      {isStale && figures && <Loader size={14} className={classes.busy} aria-hidden />}
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say.title}
          </Title>
          {figures && (
            <Badge
              variant={figures.encoding === 'gsm' ? 'light' : 'filled'}
              color={figures.encoding === 'gsm' ? undefined : 'orange.9'}
              tt="none"
            >
              {say[figures.encoding]}
            </Badge>
          )}
        </Group>
        {error && <Problem error={error} isWarning />}
        {!error && !figures && (isLoading ? <Skeleton h={160} /> : <Text c="dimmed">{say.hint}</Text>)}
        {!error && figures && (
          <Stack gap="sm" aria-busy={isStale}>
            <FiguresTable figures={figures} {...given} />
          </Stack>
        )}
        {note !== undefined && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

type TableGiven = Omit<Given, 'figures' | 'isLoading' | 'error' | 'isStale' | 'note'> & { figures: Figures }

function FiguresTable({ figures, isForAll, isLargeFile, unitPrice, deadline }: TableGiven) {
  const say = useWords(words)
  const translate = useSentences()
  const { number, money, country } = useFormats()
  const { credits_required: required, credits_remaining: remaining, credits_missing: missing, rcs_count: rcs } = figures
  const rows: [string, string][] = [
    ...(isForAll ? [[say.recipients, number(figures.recipients_count)] as [string, string]] : []),
    ...(rcs === undefined ? [] : [[say.rcs, number(rcs)] as [string, string]]),
    ...(rcs === undefined || figures.sms_count > 0
      ? [[say.segments, number(figures.sms_count)] as [string, string]]
      : []),
    [say.credits, number(required)],
    ...(unitPrice ? [[say.price, money(costOf(required, unitPrice), unitPrice.currency)] as [string, string]] : []),
    // Where credits are missing, nothing is sent: the note below says how many.
    ...(isForAll && missing === 0 ? [[say.left, number(remaining - required)] as [string, string]] : [])
  ]
  // Where consent is not enforced, people without one get the message.
  const me = useMe()
  const areUnaskedDropped = me?.settings.consent === 'enforce'
  const dropped = (
    ['doublons', 'stops', 'invalid', 'barred', 'unpriced', 'limited', 'no_consent', 'capped'] as const
  ).filter((name) => figures[name] > 0 && (name !== 'no_consent' || areUnaskedDropped))
  return (
    <>
      <Table withRowBorders={false} verticalSpacing={4} highlightOnHover={false}>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} pl={0}>
                {name}
              </Table.Th>
              <Table.Td ta="right" pr={0} fw={600} className="digits">
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {!isForAll && (
        <Text size="sm" c="dimmed">
          {isLargeFile ? say.largeFile : say.forOne}
        </Text>
      )}
      {dropped.length > 0 && (
        <Text size="sm">
          {say.dropped} {dropped.map((name) => `${say[name].toLowerCase()} ${number(figures[name])}`).join(', ')}
        </Text>
      )}
      {figures.unpriced_countries.length > 0 && (
        <Text size="sm">
          {say.withoutPrice} {figures.unpriced_countries.map(country).join(', ')}
        </Text>
      )}
      <ForcedBy characters={figures.forced_by} />
      {figures.no_consent > 0 && !areUnaskedDropped && (
        <Alert variant="light" color="orange" icon={<IconInfoCircle size={18} aria-hidden />}>
          {say.unasked(figures.no_consent)}
        </Alert>
      )}
      {isForAll && deadline !== undefined && (
        <EndNote finishesAt={figures.finishes_at} deadline={deadline} timeZone={me?.time_zone} />
      )}
      {figures.warnings
        ?.filter((warning) => !isLateWarning(warning))
        .map((warning) => (
          <Alert key={warning} variant="light" color="orange" icon={<IconInfoCircle size={18} aria-hidden />}>
            {translate(warning)}
          </Alert>
        ))}
      {isForAll && missing > 0 && (
        <MissingCredits count={missing}>
          <WayToCredits />
        </MissingCredits>
      )}
    </>
  )
}

/** The characters that make segments shorter. */
export function ForcedBy({ characters }: { characters: readonly string[] }) {
  const say = useWords(words)
  if (characters.length === 0) return null
  return (
    <Alert variant="light" color="orange" icon={<IconInfoCircle size={18} aria-hidden />}>
      <Text size="sm" component="div">
        {say.forcedBy}{' '}
        {characters.map((character) => (
          <Code key={character} mr={4}>
            {character}
          </Code>
        ))}
      </Text>
    </Alert>
  )
}

export function MissingCredits({ count, children }: { count: number; children?: ReactNode }) {
  const say = useWords(words)
  return (
    <Alert color="red" role="alert">
      {say.missing(count)} {children}
    </Alert>
  )
}

/** Where the person gets credits. Nothing for somebody who may not ask for them. */
function WayToCredits() {
  const say = useWords(words)
  const me = useMe()
  if (!me?.permissions.includes('account')) return null
  const [to, label] = me.role === 'operator' ? [`/operator/accounts/${me.id}`, say.add] : ['/credits', say.ask]
  return (
    <Anchor component={Link} to={to} inherit underline="always">
      {label}
    </Anchor>
  )
}
