import {
  Badge,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Paper,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { scopeWords } from '../features/account/scope-words.ts'
import { type Proof, ProofFields } from '../features/security/components/proof-fields.tsx'
import { RotateSecret } from '../features/security/components/rotate-secret.tsx'
import { call, type Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { counted, defineWords, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { NewKeys, ONLY_WHEN_KEPT } from '../ui/new-keys.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { OnlyFor } from './only-for.tsx'

const words = defineWords(
  {
    title: 'Keys',
    about: 'Programs use keys. Each key has its own permissions, and can be limited to networks and to a time.',
    create: 'New key',
    submit: 'Create the key',
    name: 'Name',
    scopes: 'Permissions',
    addresses: 'Networks',
    addressesHint: 'Such as 192.0.2.0/24. Empty: any network.',
    expires: 'Valid for',
    forever: 'No expiry',
    days: (count: number) => `${count} days`,
    first: 'Created with the account',
    firstName: 'First key',
    old: 'Being replaced',
    until: (moment: string) => `until ${moment}`,
    expired: (moment: string) => `ended ${moment}`,
    used: (moment: string) => `Last used ${moment}`,
    never: 'Never used',
    rotate: 'Rotate',
    rotateTitle: 'Rotate this key?',
    rotateHint: 'A new secret is made. The old one works for another day.',
    remove: 'Delete',
    removeTitle: 'Delete this key?',
    removeHint: 'Programs that use it are refused at once.',
    back: 'Back',
    fresh: 'The key is shown only now.',
    kept: 'I’ve saved it',
    read: 'Read messages, contacts, figures and settings',
    send: 'Send and cancel messages, write templates',
    contacts: 'Change contacts, lists and STOPs',
    webhooks: 'Set up webhooks',
    account: 'Change settings and sub-accounts',
    people: 'Manage people and keys',
    binary: 'Send binary data instead of a text',
    send_confirmed: 'For assistants: drafts, and sends that a dry run has shown',
    spends: 'Credits that it may spend within 24 hours',
    spendsAtMost: (credits: number) => `${counted('en', credits, 'credit', 'credits')} within 24 hours`
  },
  {
    title: 'Clés',
    about:
      'Les programmes utilisent des clés. Chaque clé a ses droits, et peut être limitée à des réseaux et dans le temps.',
    create: 'Nouvelle clé',
    submit: 'Créer la clé',
    name: 'Nom',
    scopes: 'Droits',
    addresses: 'Réseaux',
    addressesHint: 'Par exemple 192.0.2.0/24. Vide : tous les réseaux.',
    expires: 'Valable',
    forever: 'Sans expiration',
    days: (count: number) => `${count} jours`,
    first: 'Créée avec le compte',
    firstName: 'Première clé',
    old: 'Bientôt remplacée',
    until: (moment: string) => `jusqu’au ${moment}`,
    expired: (moment: string) => `terminée le ${moment}`,
    used: (moment: string) => `Dernière utilisation le ${moment}`,
    never: 'Jamais utilisée',
    rotate: 'Renouveler',
    rotateTitle: 'Renouveler cette clé ?',
    rotateHint: 'Un nouveau secret est créé. L’ancien marche encore un jour.',
    remove: 'Supprimer',
    removeTitle: 'Supprimer cette clé ?',
    removeHint: 'Les programmes qui l’utilisent sont refusés aussitôt.',
    back: 'Retour',
    fresh: 'La clé n’est affichée que maintenant.',
    kept: 'C’est noté',
    read: 'Lire les messages, contacts, chiffres et réglages',
    send: 'Envoyer et annuler, écrire des modèles',
    contacts: 'Modifier contacts, listes et STOP',
    webhooks: 'Configurer les webhooks',
    account: 'Modifier les réglages et sous-comptes',
    people: 'Gérer les personnes et les clés',
    binary: 'Envoyer des données binaires au lieu d’un texte',
    send_confirmed: 'Pour les assistants : brouillons, et envois simulés auparavant',
    spends: 'Crédits qu’elle peut dépenser en 24 heures',
    spendsAtMost: (credits: number) => `${counted('fr', credits, 'crédit', 'crédits')} en 24 heures`
  }
)

type Key = Schemas['ApiKey']
const SCOPES = ['read', 'send', 'contacts', 'webhooks', 'account', 'people', 'binary', 'send_confirmed'] as const
type Scope = (typeof SCOPES)[number]
const OVERLAP_SECONDS = 86_400
const DAYS = [30, 90, 365]
const DAY_MS = 86_400_000
/** What the service takes for a key that names no other. */
const USUAL_CREDITS = 100
const CREDITS_MAX = 1_000_000_000

/** A key that can send otherwise is not held to confirmed sends, and has no limit of its own. */
const isConfirming = (scopes: readonly string[]) => scopes.includes('send_confirmed') && !scopes.includes('send')

const keysQuery = { queryKey: ['keys'], queryFn: () => call('listKeys') }

export const Keys = () => (
  <OnlyFor permission="people">
    <KeysPage />
  </OnlyFor>
)

function KeysPage() {
  const say = useWords(words)
  const me = useMe()
  const [isCreating, setCreating] = useState(false)
  const { data, isError, error, refetch } = useQuery(keysQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data || !me) return <PageLoading />
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {say.create}
        </Button>
      }
    >
      <Stack gap="sm">
        {data.map((key) => (
          <KeyCard key={key.id} apiKey={key} timeZone={me.time_zone} />
        ))}
      </Stack>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

function KeyCard({ apiKey: key, timeZone }: { apiKey: Key; timeZone: string }) {
  const say = useWords(words)
  const scopeNames = useWords(scopeWords)
  const formats = useFormats(timeZone)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['keys'] })
  const remove = useMutation({ mutationFn: () => call('deleteKey', { path: { id: key.id } }), onSuccess: refresh })
  const askToRemove = () =>
    askFirst({
      title: say.removeTitle,
      children: say.removeHint,
      labels: { confirm: say.remove, cancel: say.back },
      onConfirm: () => remove.mutate()
    })
  // The service names the first key itself, in English.
  const name = key.is_first && key.name === 'First key' ? say.firstName : key.name
  const end = key.expires_at
  const isOver = end !== null && Date.parse(end) <= Date.now()
  const facts = [
    key.last_used_at ? say.used(formats.moment(key.last_used_at)) : say.never,
    end && (isOver ? say.expired(formats.moment(end)) : say.until(formats.moment(end))),
    isConfirming(key.scopes) && say.spendsAtMost(key.credits_per_day ?? USUAL_CREDITS),
    key.addresses.join(', ')
  ].filter(Boolean)
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={6}>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            {key.is_first && (
              <Badge variant="dot" tt="none">
                {say.first}
              </Badge>
            )}
            {key.replaced_by !== null && (
              <Badge variant="dot" color="orange" tt="none">
                {say.old}
              </Badge>
            )}
          </Group>
          <Group gap={6}>
            {key.scopes.map((scope) => (
              <Badge key={scope} variant="default" tt="none">
                {scopeNames[scope as Scope]}
              </Badge>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
        </Stack>
        <Group gap="xs">
          <RotateSecret
            label={say.rotate}
            title={say.rotateTitle}
            hint={say.rotateHint}
            name={name}
            isOffered={key.replaced_by === null && !isOver}
            rotate={(proof) =>
              call('rotateKey', { path: { id: key.id }, body: { overlap_seconds: OVERLAP_SECONDS, ...proof } })
            }
            onRotated={() => void refresh()}
            show={(fresh, onDone) => <NewKeys hint={say.fresh} keys={fresh} done={say.kept} onDone={onDone} />}
          />
          {!key.is_first && (
            <Button variant="default" size="xs" loading={remove.isPending} onClick={askToRemove}>
              {say.remove}
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  )
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>(['read', 'send'])
  const [addresses, setAddresses] = useState<string[]>([])
  const [days, setDays] = useState<string | null>('0')
  const [credits, setCredits] = useState<number | string>(USUAL_CREDITS)
  const [proof, setProof] = useState<Proof>({})
  const create = useMutation({
    meta: { isShown: true },
    mutationFn: () =>
      call('createKey', {
        body: {
          name,
          scopes: scopes as Scope[],
          addresses,
          ...proof,
          ...(isConfirming(scopes) && { credits_per_day: Number(credits) }),
          ...(Number(days) > 0 && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() })
        }
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={say.create} {...(create.data && ONLY_WHEN_KEPT)}>
      {create.data ? (
        <NewKeys hint={say.fresh} keys={create.data} done={say.kept} onDone={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={say.name}
              required
              maxLength={100}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Checkbox.Group label={say.scopes} value={scopes} onChange={setScopes}>
              <Stack gap={6} mt={6}>
                {SCOPES.map((scope) => (
                  <Checkbox key={scope} value={scope} label={say[scope]} />
                ))}
              </Stack>
            </Checkbox.Group>
            {isConfirming(scopes) && (
              <NumberInput
                label={say.spends}
                required
                min={1}
                max={CREDITS_MAX}
                allowDecimal={false}
                value={credits}
                onChange={setCredits}
              />
            )}
            <TagsInput
              label={say.addresses}
              description={say.addressesHint}
              value={addresses}
              onChange={setAddresses}
            />
            <Select
              label={say.expires}
              allowDeselect={false}
              value={days}
              onChange={setDays}
              data={[
                { value: '0', label: say.forever },
                ...DAYS.map((count) => ({ value: String(count), label: say.days(count) }))
              ]}
            />
            <ProofFields proof={proof} onChange={setProof} />
            {create.isError && <Problem error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {say.back}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={scopes.length === 0}>
                {say.submit}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
