import { Button, Paper, PasswordInput, Radio, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconHistory } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { meQuery } from '../features/account/api/me.ts'
import { useSaveMe } from '../features/account/api/save-me.ts'
import { For } from '../features/account/components/for.tsx'
import { SessionsCard } from '../features/account/components/sessions-card.tsx'
import { MarketingForm } from '../features/consents/components/marketing-form.tsx'
import { AlertsForm } from '../features/limits/components/alerts-form.tsx'
import { LimitsCard } from '../features/limits/components/limits-card.tsx'
import { LookForm } from '../features/looks/components/look-form.tsx'
import { call, type Schemas } from '../lib/api.ts'
import { defineWords, type Language, setLanguage, useLanguage, useWords } from '../lib/language.ts'
import { renewSession } from '../lib/session.ts'
import { FormCard } from '../ui/form-card.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Settings',
    account: 'Account',
    company: 'Company',
    first: 'First name',
    last: 'Last name',
    phone: 'Phone',
    sending: 'Sending',
    zone: 'Time zone',
    country: 'Country',
    countryHint: 'Numbers without a country code are read as numbers of this country. Two letters, such as FR.',
    countryWrong: 'Two letters, such as FR.',
    sender: 'Sender',
    senderHint: 'For messages that name none: 3 to 11 letters and digits, such as MYSHOP. Empty: the carrier’s.',
    hours: 'Latest marketing hour (France)',
    everyDay: 'Send marketing to France on Sundays and public holidays too',
    everyDayHint: 'The operators’ charter tolerates it and advises against it.',
    calendar: 'Public holidays',
    national: 'Of all of France',
    alsace: 'Of Alsace-Moselle too',
    typography: 'Replace typographic characters (’ “ … –) by plain ones, which take less room',
    doubt: 'If it is unknown whether the carrier received a message',
    resend: 'Send it again',
    resendHint: 'Nothing is lost; somebody may get it twice.',
    fail: 'Mark it as failed',
    failHint: 'Nobody gets it twice; somebody may get nothing.',
    language: 'Language of this console',
    password: 'Password',
    current: 'Current password',
    fresh: 'New password',
    freshHint: '8 characters at least. Other sessions end.',
    changePassword: 'Change the password',
    save: 'Save',
    saved: 'Saved.',
    audit: 'Audit trail'
  },
  {
    title: 'Réglages',
    account: 'Compte',
    company: 'Société',
    first: 'Prénom',
    last: 'Nom',
    phone: 'Téléphone',
    sending: 'Envois',
    zone: 'Fuseau horaire',
    country: 'Pays',
    countryHint: 'Les numéros sans indicatif sont lus comme étant de ce pays. Deux lettres, comme FR.',
    countryWrong: 'Deux lettres, comme FR.',
    sender: 'Expéditeur',
    senderHint:
      'Pour les messages qui n’en nomment pas : 3 à 11 lettres et chiffres, comme MABOUTIQUE. Vide : celui de l’opérateur.',
    hours: 'Heure limite marketing (France)',
    everyDay: 'Envoyer le marketing vers la France aussi les dimanches et jours fériés',
    everyDayHint: 'La charte des opérateurs le tolère et le déconseille.',
    calendar: 'Jours fériés',
    national: 'Nationaux',
    alsace: 'Aussi ceux d’Alsace-Moselle',
    typography: 'Remplacer les caractères typographiques (’ « … –) par des caractères simples, moins coûteux',
    doubt: 'Message non confirmé par l’opérateur',
    resend: 'Le renvoyer',
    resendHint: 'Rien n’est perdu ; quelqu’un peut le recevoir deux fois.',
    fail: 'Le marquer en échec',
    failHint: 'Personne ne le reçoit deux fois ; quelqu’un peut ne rien recevoir.',
    language: 'Langue de cette console',
    password: 'Mot de passe',
    current: 'Mot de passe actuel',
    fresh: 'Nouveau mot de passe',
    freshHint: '8 caractères au moins. Les autres sessions se terminent.',
    changePassword: 'Changer le mot de passe',
    save: 'Enregistrer',
    saved: 'Enregistré.',
    audit: 'Journal'
  }
)

export function Settings() {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery(meQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  return (
    <Page
      title={say.title}
      actions={
        <For permission="people">
          <Button variant="default" leftSection={<IconHistory size={16} aria-hidden />} component={Link} to="/audit">
            {say.audit}
          </Button>
        </For>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <SendingForm me={data} />
          <For permission="account">
            <MarketingForm me={data} />
            <AlertsForm me={data} />
          </For>
          <LimitsCard />
        </Stack>
        <Stack gap="lg">
          <AccountForm me={data} />
          {!data.is_viewing && (
            <>
              <PasswordForm email={data.email} />
              <SessionsCard />
            </>
          )}
          <LanguageCard />
          <LookForm />
        </Stack>
      </SimpleGrid>
    </Page>
  )
}

function SendingForm({ me }: { me: Schemas['Me'] }) {
  const say = useWords(words)
  const form = useForm({
    initialValues: ofSending(me.settings),
    validate: {
      country: (value) => (/^[A-Z]{2}$/.test(value) ? null : say.countryWrong)
    }
  })
  const save = useSaveMe(say.saved, form.setErrors)
  const country = form.getInputProps('country')
  return (
    <FormCard
      title={say.sending}
      save={save}
      label={say.save}
      isOpen={useMay('account')}
      onSubmit={form.onSubmit((settings) =>
        save.mutate({ settings: changedOf(form, settings) }, { onSuccess: () => form.resetDirty(settings) })
      )}
    >
      <Select
        label={say.zone}
        searchable
        allowDeselect={false}
        data={withOwn(TIME_ZONES, me.settings.time_zone).map((zone) => ({
          value: zone,
          label: zone.replaceAll('_', ' ')
        }))}
        {...form.getInputProps('time_zone')}
      />
      <TextInput
        label={say.country}
        description={say.countryHint}
        maxLength={2}
        {...country}
        onChange={(event) => form.setFieldValue('country', event.currentTarget.value.toUpperCase())}
      />
      <TextInput label={say.sender} description={say.senderHint} maxLength={20} {...form.getInputProps('sender')} />
      <Select
        label={say.hours}
        allowDeselect={false}
        data={withOwn(HOURS, me.settings.hours_end)}
        {...form.getInputProps('hours_end')}
      />
      <Select
        label={say.calendar}
        allowDeselect={false}
        data={[
          { value: 'national', label: say.national },
          { value: 'alsace-moselle', label: say.alsace }
        ]}
        {...form.getInputProps('calendar')}
      />
      <Switch
        label={say.everyDay}
        description={say.everyDayHint}
        {...form.getInputProps('sundays_and_holidays', { type: 'checkbox' })}
      />
      <Radio.Group label={say.doubt} {...form.getInputProps('in_doubt')}>
        <Stack gap="xs" mt="xs">
          <Radio value="resend" label={say.resend} description={say.resendHint} />
          <Radio value="fail" label={say.fail} description={say.failHint} />
        </Stack>
      </Radio.Group>
      <Switch label={say.typography} {...form.getInputProps('typography', { type: 'checkbox' })} />
    </FormCard>
  )
}

/** The warnings of low balances and the rules of marketing have forms of their own: this one must not undo them. */
function ofSending({
  balance_alert_sms: _sms,
  balance_alert_rcs: _rcs,
  consent: _consent,
  marketing_cap: _cap,
  marketing_cap_days: _days,
  ...settings
}: Schemas['AccountSettings']) {
  return settings
}

/** Another window may have changed the rest since this form was opened. */
function changedOf<T extends object>(form: { isDirty(field: string): boolean }, values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([field]) => form.isDirty(field))) as Partial<T>
}

/** The present value is always among the choices, also one that neither we nor the browser know. */
const withOwn = (choices: string[], own: string) => [...new Set([...choices, own])].sort()

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** From 16:00 to 21:30, the latest end that the operators' charter allows. */
const HOURS = Array.from(
  { length: 23 },
  (_, step) => `${String(16 + Math.floor(step / 4)).padStart(2, '0')}:${String((step % 4) * 15).padStart(2, '0')}`
)

function AccountForm({ me }: { me: Schemas['Me'] }) {
  const say = useWords(words)
  const mayChange = useMay('account')
  const form = useForm({
    initialValues: {
      social_reason: me.social_reason,
      first_name: me.first_name,
      last_name: me.last_name,
      phone_number: me.phone_number
    }
  })
  const save = useSaveMe(say.saved, form.setErrors)
  return (
    <FormCard
      title={say.account}
      save={save}
      label={say.save}
      isOpen={!me.is_viewing}
      onSubmit={form.onSubmit((fields) =>
        save.mutate(changedOf(form, fields), { onSuccess: () => form.resetDirty(fields) })
      )}
    >
      <TextInput
        label={say.company}
        autoComplete="organization"
        disabled={!mayChange}
        {...form.getInputProps('social_reason')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.first} autoComplete="given-name" {...form.getInputProps('first_name')} />
        <TextInput label={say.last} autoComplete="family-name" {...form.getInputProps('last_name')} />
      </SimpleGrid>
      <TextInput label={say.phone} type="tel" autoComplete="tel" {...form.getInputProps('phone_number')} />
    </FormCard>
  )
}

function PasswordForm({ email }: { email: string }) {
  const say = useWords(words)
  const form = useForm({ initialValues: { current_password: '', password: '' } })
  const save = useSaveMe(say.saved, form.setErrors)
  const queries = useQueryClient()
  async function change(values: typeof form.values): Promise<void> {
    await renewSession(async () => {
      await save.mutateAsync(values)
      form.reset()
      return call('login', { body: { email, password: values.password } })
    })
    await queries.invalidateQueries() // Requests with the old token were refused.
  }
  return (
    <FormCard
      title={say.password}
      save={save}
      label={say.changePassword}
      onSubmit={form.onSubmit((values) => void change(values).catch(() => undefined))}
    >
      <PasswordInput
        label={say.current}
        required
        autoComplete="current-password"
        {...form.getInputProps('current_password')}
      />
      <PasswordInput
        label={say.fresh}
        description={say.freshHint}
        required
        minLength={8}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
    </FormCard>
  )
}

function LanguageCard() {
  const say = useWords(words)
  const language = useLanguage()
  return (
    <Paper withBorder p="md">
      <Select
        label={say.language}
        allowDeselect={false}
        value={language}
        onChange={(value) => setLanguage(value as Language)}
        data={[
          { value: 'en', label: 'English' },
          { value: 'fr', label: 'Français' }
        ]}
      />
    </Paper>
  )
}
