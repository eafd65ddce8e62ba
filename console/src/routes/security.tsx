import { Alert, Button, Paper, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { secondFactorQuery } from '../features/security/api/second-factor.ts'
import { AppCard } from '../features/security/components/app-card.tsx'
import { PasskeysCard } from '../features/security/components/passkeys-card.tsx'
import { ProofDialog } from '../features/security/components/proof-dialog.tsx'
import { RecoveryCodesDialog } from '../features/security/components/recovery-codes.tsx'
import { call, type Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Card } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: 'Security',
    about: 'A second factor protects your log-in when somebody learns your password.',
    missing: 'This account requires a second factor. Set up an app or a passkey to go on.',
    codes: 'Recovery codes',
    codesHint: 'They log you in when your phone is lost.',
    left: (count: number) => (count === 1 ? '1 code is left.' : `${count} codes are left.`),
    renew: 'Make new codes',
    renewHint: 'Ten new codes are shown once. All earlier ones end.',
    people: 'People of this account',
    require: 'Require a second factor of everybody',
    requireHint: 'People without a second factor must set one up before they can go on. API keys keep working.'
  },
  {
    title: 'Sécurité',
    about: 'Un second facteur protège votre connexion si quelqu’un apprend votre mot de passe.',
    missing: 'Ce compte exige un second facteur. Configurez une application ou une clé d’accès pour continuer.',
    codes: 'Codes de secours',
    codesHint: 'Ils vous connectent si votre téléphone est perdu.',
    left: (count: number) => (count === 1 ? 'Il reste 1 code.' : `Il reste ${count} codes.`),
    renew: 'Créer de nouveaux codes',
    renewHint: 'Dix nouveaux codes sont affichés une fois. Tous les précédents prennent fin.',
    people: 'Personnes de ce compte',
    require: 'Exiger un second facteur de tous',
    requireHint:
      'Les personnes sans second facteur doivent en configurer un pour continuer. Les clés d’API fonctionnent toujours.'
  }
)

export function Security() {
  // A second factor is the person’s own; it is changed in the person’s own session. Who lacks a required one is told
  // nothing else by the service, not even who is logged in: the page does not wait for that.
  return useMe()?.is_viewing ? <NotFound /> : <SecurityPage />
}

function SecurityPage() {
  const say = useWords(words)
  const queries = useQueryClient()
  const [codes, setCodes] = useState<string[]>([])
  const { data, isError, error, refetch } = useQuery(secondFactorQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const hasFactor = data.totp.is_on || data.passkeys.length > 0
  function onChanged(fresh: string[]): void {
    setCodes(fresh)
    // Everything: what was refused without a factor is no longer.
    void queries.invalidateQueries()
  }
  return (
    <Page title={say.title} about={say.about}>
      {data.is_required && !hasFactor && (
        <Alert color="orange" role="status">
          {say.missing}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <AppCard isOn={data.totp.is_on} onChanged={onChanged} />
          {hasFactor && <RecoveryCard left={data.recovery_codes_left} onChanged={onChanged} />}
        </Stack>
        <Stack gap="lg">
          <PasskeysCard passkeys={data.passkeys} onChanged={onChanged} />
          {data.may_require && (hasFactor || !data.is_required) && <RequirementCard factor={data} />}
        </Stack>
      </SimpleGrid>
      <RecoveryCodesDialog codes={codes} onDone={() => setCodes([])} />
    </Page>
  )
}

function RecoveryCard({ left, onChanged }: { left: number; onChanged(codes: string[]): void }) {
  const say = useWords(words)
  const [isOpen, setOpen] = useState(false)
  return (
    <Paper withBorder p="md" component="section" aria-label={say.codes}>
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {say.codes}
        </Title>
        <Text>
          {say.codesHint} {say.left(left)}
        </Text>
        <Button variant="default" onClick={() => setOpen(true)}>
          {say.renew}
        </Button>
      </Stack>
      <ProofDialog
        isOpen={isOpen}
        title={say.renew}
        hint={say.renewHint}
        label={say.renew}
        onClose={() => setOpen(false)}
        act={async (body) => {
          const { recovery_codes: codes } = await call('renewRecoveryCodes', { body })
          setOpen(false)
          onChanged(codes)
        }}
      />
    </Paper>
  )
}

function RequirementCard({ factor }: { factor: Schemas['SecondFactor'] }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (isRequired: boolean) => call('requireSecondFactor', { body: { is_required: isRequired } }),
    onSettled: () => queries.invalidateQueries({ queryKey: secondFactorQuery.queryKey })
  })
  return (
    <Card title={say.people}>
      <Switch
        label={say.require}
        description={say.requireHint}
        checked={change.isPending ? change.variables : factor.is_required}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </Card>
  )
}
