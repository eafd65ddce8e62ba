import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { keptDraftOf } from '../features/compose/kept-draft.ts'
import { cancelTrial, chooseVariant, TRIALS, type Trial, trialQuery } from '../features/trials/api/trials.ts'
import { TrialForm } from '../features/trials/components/trial-form.tsx'
import { TrialBadge } from '../features/trials/components/trials-table.tsx'
import { Variants } from '../features/trials/components/variants.tsx'
import { toTrialDraft } from '../features/trials/trial-draft.ts'
import { useFormats } from '../lib/format.ts'
import { counted, defineWords, useWords } from '../lib/language.ts'
import { useSentences } from '../lib/refusals.ts'
import { askFirst } from '../ui/ask-first.ts'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'A/B trial',
    create: 'New trial',
    begins: (moment: string) => `Begins on ${moment}.`,
    decides: (moment: string) => `The winner is chosen on ${moment}.`,
    waits: 'Choose the winner: nothing happens by itself.',
    rest: (count: number) => `${counted('en', count, 'person waits', 'people wait')} for the winner.`,
    refused: 'The winner was not sent',
    failed: 'The trial could not begin',
    byHand: (label: string) => `${label} was chosen by hand.`,
    byFigures: (label: string) => `${label} won by the figures.`,
    certainties: {
      sure: (chance: string) => `It is the best with a chance of ${chance}: hardly by accident.`,
      likely: (chance: string) => `It is the best with a chance of ${chance}. The difference may be accidental.`,
      open: (chance: string) => `It is the best with a chance of only ${chance}: the difference is too small to tell.`,
      too_few: (chance: string) => `Too few people to tell (chance of being the best: ${chance}).`
    },
    message: 'Message to the rest',
    cancel: 'Cancel the trial',
    cancelTitle: 'Cancel this trial?',
    cancelHint:
      'Nothing is sent to the rest. Messages of the variants that are not sent yet are cancelled and refunded.',
    keep: 'Keep testing',
    cancelled: 'The trial was cancelled.',
    chosen: 'The winner is being sent to the rest.'
  },
  {
    title: 'Test A/B',
    create: 'Nouveau test',
    begins: (moment: string) => `Début le ${moment}.`,
    decides: (moment: string) => `La gagnante est choisie le ${moment}.`,
    waits: 'Choisissez la gagnante : rien ne se fait tout seul.',
    rest: (count: number) => `${counted('fr', count, 'personne attend', 'personnes attendent')} la gagnante.`,
    refused: 'La gagnante n’a pas été envoyée',
    failed: 'Le test n’a pas pu commencer',
    byHand: (label: string) => `${label} a été choisie à la main.`,
    byFigures: (label: string) => `${label} l’emporte selon les chiffres.`,
    certainties: {
      sure: (chance: string) => `C’est la meilleure avec une probabilité de ${chance} : ce n’est guère un hasard.`,
      likely: (chance: string) =>
        `C’est la meilleure avec une probabilité de ${chance}. L’écart peut être dû au hasard.`,
      open: (chance: string) =>
        `C’est la meilleure avec une probabilité de ${chance} seulement : l’écart est trop faible pour conclure.`,
      too_few: (chance: string) => `Trop peu de personnes pour conclure (probabilité d’être la meilleure : ${chance}).`
    },
    message: 'Message au reste',
    cancel: 'Annuler le test',
    cancelTitle: 'Annuler ce test ?',
    cancelHint: 'Rien n’est envoyé au reste. Les messages des variantes pas encore envoyés sont annulés et remboursés.',
    keep: 'Ne pas annuler',
    cancelled: 'Le test est annulé.',
    chosen: 'La gagnante est envoyée au reste.'
  }
)

export function TrialPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const isNew = id === 'new'
  const { data, error, refetch } = useQuery({ ...trialQuery(Number(id)), enabled: !isNew })
  if (isNew) return <New />
  if (data) return <Shown trial={data} />
  return (
    <Page title={say.title}>{error ? <ErrorState error={error} reset={() => void refetch()} /> : <RowsLoading />}</Page>
  )
}

/** Of the message that its writer came from, or of nothing. */
function New() {
  const say = useWords(words)
  const { from } = useSearch({ strict: false }) as { from?: string }
  const me = useMe()
  return (
    <Page title={say.create}>
      {me ? <TrialForm start={toTrialDraft(from === 'draft' ? keptDraftOf(me.id) : undefined)} /> : <RowsLoading />}
    </Page>
  )
}

function Shown({ trial }: { trial: Trial }) {
  const say = useWords(words)
  const translate = useSentences()
  const maySend = useMay('send')
  const { choose, cancel } = useActs(trial)
  const isOpen = trial.state === 'scheduled' || trial.state === 'testing'
  const ask = () =>
    askFirst({
      title: say.cancelTitle,
      children: <Text>{say.cancelHint}</Text>,
      labels: { confirm: say.cancel, cancel: say.keep },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate()
    })
  const error = choose.error ?? cancel.error
  return (
    <Page
      title={trial.name}
      actions={
        isOpen &&
        maySend && (
          <Button variant="default" loading={cancel.isPending} onClick={ask}>
            {say.cancel}
          </Button>
        )
      }
    >
      <Group>
        <TrialBadge state={trial.state} />
        <Standing trial={trial} />
      </Group>
      {trial.problem !== null && (
        <Alert color="red" title={trial.state === 'failed' ? say.failed : say.refused}>
          {translate(trial.problem)}
        </Alert>
      )}
      {trial.choice && <Choice trial={trial} choice={trial.choice} />}
      {error && <Problem error={error} />}
      <Variants
        trial={trial}
        onChoose={trial.state === 'testing' && maySend ? (label) => choose.mutate(label) : undefined}
      />
    </Page>
  )
}

function useActs({ id }: Trial) {
  const say = useWords(words)
  const client = useQueryClient()
  const told = (message: string) => async (trial: Trial) => {
    notifications.show({ message })
    client.setQueryData(trialQuery(id).queryKey, trial)
    await client.invalidateQueries({ queryKey: TRIALS })
  }
  const choose = useMutation({
    meta: { isShown: true },
    mutationFn: (variant: string) => chooseVariant({ id, variant }),
    onSuccess: told(say.chosen)
  })
  const cancel = useMutation({
    meta: { isShown: true },
    mutationFn: () => cancelTrial(id),
    onSuccess: told(say.cancelled)
  })
  return { choose, cancel }
}

/** What happens next, and when. */
function Standing({ trial }: { trial: Trial }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const { begins_at, decides_at, rest, state } = trial
  if (begins_at !== null) return <Text>{say.begins(formats.moment(begins_at))}</Text>
  if (state !== 'testing') return null
  return (
    <Text>
      {decides_at === null ? say.waits : say.decides(formats.moment(decides_at))} {say.rest(rest.recipients)}
    </Text>
  )
}

function Choice({ trial, choice }: { trial: Trial; choice: NonNullable<Trial['choice']> }) {
  const say = useWords(words)
  const formats = useFormats()
  const { winner, by_hand, certainty, figures } = choice
  const chance = figures.find(({ label }) => label === winner)?.chance ?? null
  const { message_id } = trial.rest
  return (
    <Alert role="status" title={by_hand ? say.byHand(winner) : say.byFigures(winner)}>
      {certainty !== null && chance !== null && (
        <Text size="sm">{say.certainties[certainty](formats.percent(chance, 1))}</Text>
      )}
      {message_id !== null && (
        <Anchor component={Link} to={`/messages/${message_id}`} size="sm">
          {say.message}
        </Anchor>
      )}
    </Alert>
  )
}
