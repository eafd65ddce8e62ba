import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, readLanguage, useLanguage, useWords } from '../../../lib/language.ts'
import { costOf, type UnitPrice } from '../../../lib/money.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { agentsQuery } from '../../agents/api/agents.ts'
import { dryRunQuery, type Figures } from '../api/dry-run.ts'
import { contactListsQuery, segmentsQuery } from '../api/people.ts'
import type { Draft } from '../draft.ts'
import classes from './confirm-dialog.module.css'
import { EndNote } from './end-note.tsx'
import { ForcedBy, MissingCredits } from './summary-card.tsx'

const words = defineWords(
  {
    now: 'Send now?',
    later: 'Schedule it?',
    send: 'Send',
    schedule: 'Schedule',
    text: 'Message text',
    recipients: 'Recipients',
    sender: 'Sender',
    agent: 'RCS agent',
    byRoute: 'Chosen by the route',
    fallback: 'SMS for phones without RCS',
    noFallback: 'None',
    cost: 'Cost',
    credit: 'credit',
    credits: 'credits',
    price: (credits: string, money: string) => `${credits} (${money})`,
    changed: (credits: string) => `The price has changed: it was ${credits}.`,
    departure: 'Send time',
    atOnce: 'Now',
    held: (moment: string) => `${moment} or later: marketing is not allowed before.`,
    partlyHeld: (start: string, held: string, moment: string) =>
      `${start}. For ${held}, ${moment} or later: marketing is not allowed before.`,
    person: 'recipient',
    people: 'recipients',
    counting: 'Being counted',
    cancel: 'Cancel'
  },
  {
    now: 'Envoyer maintenant ?',
    later: 'Programmer l’envoi ?',
    send: 'Envoyer',
    schedule: 'Programmer',
    text: 'Texte du message',
    recipients: 'Destinataires',
    sender: 'Expéditeur',
    agent: 'Agent RCS',
    byRoute: 'Choisi par la route',
    fallback: 'SMS pour les téléphones sans RCS',
    noFallback: 'Aucun',
    cost: 'Coût',
    credit: 'crédit',
    credits: 'crédits',
    price: (credits: string, money: string) => `${credits} (${money})`,
    changed: (credits: string) => `Le prix a changé : c’était ${credits}.`,
    departure: 'Date d’envoi',
    atOnce: 'Maintenant',
    held: (moment: string) => `${moment} ou plus tard : le marketing n’est pas autorisé avant.`,
    partlyHeld: (start: string, held: string, moment: string) =>
      `${start}. Pour ${held}, ${moment} ou plus tard : le marketing n’est pas autorisé avant.`,
    person: 'destinataire',
    people: 'destinataires',
    counting: 'Décompte en cours',
    cancel: 'Annuler'
  }
)

interface Given {
  draft: Draft
  /** The sender that phones will show. */
  sender: string
  timeZone: string
  unitPrice: UnitPrice | undefined
  /** The credits that were shown before, where they have changed meanwhile. */
  creditsBefore?: number | undefined
  onConfirm(shown: { credits: number }): void
}

const ID = 'confirm send'
let openings = 0

/** Asks once more, with the figures of exactly this message: those beside the text may be older. */
export function openConfirmDialog(given: Given): void {
  const say = words[readLanguage()]
  modals.open({
    modalId: ID,
    title: given.draft.scheduleAt ? say.later : say.now,
    // A key of its own: while the dialog before it fades out, it would be taken for that one, which is confirmed.
    children: <ConfirmDialog key={++openings} {...given} onClose={() => modals.close(ID)} />
  })
}

function ConfirmDialog({ creditsBefore, onConfirm, onClose, ...given }: Given & { onClose(): void }) {
  const { draft, timeZone } = given
  const say = useWords(words)
  const language = useLanguage()
  const { data: figures, error } = useQuery(dryRunQuery(draft))
  // The dialog stays while it fades out: a double click would confirm twice.
  const [isConfirmed, setConfirmed] = useState(false)
  const missing = figures?.credits_missing ?? 0
  const isLater = draft.scheduleAt !== null || (figures !== undefined && isAllHeld(figures))
  const title = isLater ? say.later : say.now
  useEffect(() => modals.updateModal({ modalId: ID, title }), [title])
  return (
    <Stack>
      {error && <Problem error={error} />}
      {!error && !figures && <Skeleton height={120} role="status" aria-label={say.counting} />}
      {figures && creditsBefore !== undefined && creditsBefore !== figures.credits_required && (
        <Alert color="orange" role="alert">
          {say.changed(counted(language, creditsBefore, say.credit, say.credits))}
        </Alert>
      )}
      {figures && <Particulars figures={figures} {...given} />}
      {missing > 0 && <MissingCredits count={missing} />}
      {figures && <EndNote finishesAt={figures.finishes_at} deadline={draft.deadline} timeZone={timeZone} />}
      <Group justify="flex-end">
        {/* Enter, pressed once too often, must not send. */}
        <Button variant="default" data-autofocus onClick={onClose}>
          {say.cancel}
        </Button>
        <Button
          disabled={!figures || missing > 0 || isConfirmed}
          onClick={() => {
            setConfirmed(true)
            onConfirm({ credits: figures?.credits_required ?? 0 })
            onClose()
          }}
        >
          {isLater ? say.schedule : say.send}
        </Button>
      </Group>
    </Stack>
  )
}

interface ParticularsGiven extends Pick<Given, 'draft' | 'sender' | 'timeZone' | 'unitPrice'> {
  figures: Figures
}

function Particulars({ draft, figures, sender, timeZone, unitPrice }: ParticularsGiven) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats(timeZone)
  const audience = useAudience(draft)
  const { recipients_count: count, credits_required: credits, held_count: held, held_until: until } = figures
  const start = draft.scheduleAt === null ? say.atOnce : formats.full(draft.scheduleAt)
  const departure =
    until === null
      ? start
      : isAllHeld(figures)
        ? say.held(formats.full(until))
        : say.partlyHeld(start, counted(language, held, say.person, say.people), formats.full(until))
  const text = textOf(draft)
  const cost = counted(language, credits, say.credit, say.credits)
  const agent = useAgent(draft)
  const hasFallback = draft.channel === 'rcs' && draft.fallback.trim() !== ''
  const rows: [string, string | null][] = [
    [say.recipients, [formats.number(count), audience].filter(Boolean).join(' · ')],
    [say.agent, draft.channel === 'rcs' ? (agent ?? say.byRoute) : null],
    // The fallback shows the sender too.
    [say.sender, draft.channel === 'sms' || hasFallback ? sender : null],
    [say.cost, unitPrice ? say.price(cost, formats.money(costOf(credits, unitPrice), unitPrice.currency)) : cost],
    [say.departure, departure]
  ]
  return (
    <>
      <Facts rows={rows} nameWidth={120} />
      {text !== '' && <LongText label={say.text} text={text} />}
      {draft.channel === 'rcs' && (
        <div>
          <Text size="sm" c="dimmed">
            {say.fallback}
          </Text>
          {hasFallback ? (
            <LongText label={say.fallback} text={draft.fallback} />
          ) : (
            <Text size="sm">{say.noFallback}</Text>
          )}
        </div>
      )}
      <ForcedBy characters={figures.forced_by} />
    </>
  )
}

function LongText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, by keyboard too.
    <section className={classes.text} aria-label={label} tabIndex={0}>
      <Text size="sm" className="words">
        {text}
      </Text>
    </section>
  )
}

/** The name of the agent that is chosen; undefined where the route chooses it. */
function useAgent({ channel, agent }: Draft): string | undefined {
  const agents = useQuery({ ...agentsQuery, enabled: channel === 'rcs' && agent !== '' }).data ?? []
  return agents.find(({ id }) => id === agent)?.name || agent || undefined
}

const isAllHeld = ({ held_count: held, recipients_count: count }: Figures) => held > 0 && held === count

/** The names of the chosen lists and segments, or of the file. */
function useAudience({ audience, lists, segments, file }: Draft): string {
  const isListed = audience === 'lists'
  const allLists = useQuery({ ...contactListsQuery, enabled: isListed && lists.length > 0 }).data ?? []
  const allSegments = useQuery({ ...segmentsQuery, enabled: isListed && segments.length > 0 }).data?.items ?? []
  if (audience === 'file') return file?.name ?? ''
  if (!isListed) return ''
  return [
    ...allLists.filter(({ id }) => lists.includes(String(id))),
    ...allSegments.filter(({ id }) => segments.includes(String(id)))
  ]
    .map(({ name }) => name)
    .join(', ')
}

function textOf({ channel, content, rcs }: Draft): string {
  if (channel === 'sms') return content
  if (rcs.type === 'text') return rcs.text
  return rcs.cards.map(({ title, description }) => [title, description].filter(Boolean).join('\n')).join('\n\n')
}
