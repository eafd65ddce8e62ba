import { Button, Paper, Stack } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { bindsQuery, credentialsQuery, type SmppCredential, smppServerQuery } from '../features/smpp/api/smpp.ts'
import { CredentialCard } from '../features/smpp/components/credential-card.tsx'
import { CredentialDialog } from '../features/smpp/components/credential-dialog.tsx'
import { ServerFacts } from '../features/smpp/components/server-facts.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Card } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, PageLoading } from '../ui/states.tsx'
import { OnlyFor } from './only-for.tsx'

const words = defineWords(
  {
    title: 'SMPP',
    about: 'Your platform binds over SMPP 3.4 or 5.0. It submits messages, and gets receipts and replies.',
    create: 'New credentials',
    server: 'Where to bind',
    sandbox: 'The sandbox: messages go to virtual phones, nothing leaves this machine.',
    none: 'No credentials yet',
    noneHint: 'Each client of yours binds with a system_id and a password.',
    noneSandbox: 'The form is filled in for a try: you only confirm it.',
    off: 'There is no SMPP server here',
    offHint: 'The operator of this service can turn it on.',
    offForOperator: 'Turn it on with the setting CHAPPE_SMPP_PORT or CHAPPE_SMPP_TLS_PORT.'
  },
  {
    title: 'SMPP',
    about:
      'Votre plateforme se connecte en SMPP 3.4 ou 5.0. Elle soumet des messages, et reçoit accusés de réception et réponses.',
    create: 'Nouveaux identifiants',
    server: 'Où se connecter',
    sandbox: 'Le bac à sable : les messages vont à des téléphones virtuels, rien ne quitte cette machine.',
    none: 'Pas encore d’identifiants',
    noneHint: 'Chacun de vos clients SMPP se connecte avec un system_id et un mot de passe.',
    noneSandbox: 'Le formulaire est rempli pour un essai : il suffit de confirmer.',
    off: 'Il n’y a pas de serveur SMPP ici',
    offHint: 'L’exploitant de ce service peut l’activer.',
    offForOperator: 'Activez-le avec le réglage CHAPPE_SMPP_PORT ou CHAPPE_SMPP_TLS_PORT.'
  }
)

export const Smpp = () => (
  <OnlyFor permission="people">
    <SmppPage />
  </OnlyFor>
)

function SmppPage() {
  const say = useWords(words)
  const me = useMe()
  const [edited, setEdited] = useState<{ credential: SmppCredential | undefined }>()
  const server = useQuery(smppServerQuery)
  const credentials = useQuery(credentialsQuery)
  const binds = useQuery(bindsQuery)
  const failed = [server, credentials, binds].find(({ isError, data }) => isError && !data)
  if (failed) return <ErrorState error={failed.error} reset={() => void failed.refetch()} />
  if (!server.data || !credentials.data || !binds.data || !me) return <PageLoading />
  const list = credentials.data
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setEdited({ credential: undefined })}>
      {say.create}
    </Button>
  )
  if (!server.data.enabled) {
    return (
      <Page title={say.title} about={say.about}>
        <Paper withBorder>
          <EmptyState icon={<IconPlugConnected size={28} aria-hidden />} title={say.off}>
            {me.role === 'operator' ? say.offForOperator : say.offHint}
          </EmptyState>
        </Paper>
      </Page>
    )
  }
  return (
    <Page title={say.title} about={say.about} actions={list.length > 0 && create}>
      <Card title={say.server} about={me.is_sandbox ? say.sandbox : undefined}>
        <ServerFacts server={server.data} columns={3} />
      </Card>
      {list.length === 0 ? (
        <Paper withBorder>
          <EmptyState icon={<IconPlugConnected size={28} aria-hidden />} title={say.none} action={create}>
            {say.noneHint} {me.is_sandbox && say.noneSandbox}
          </EmptyState>
        </Paper>
      ) : (
        <Stack gap="sm">
          {list.map((credential) => (
            <CredentialCard
              key={credential.id}
              credential={credential}
              binds={binds.data.filter(({ system_id: systemId }) => systemId === credential.system_id)}
              server={server.data}
              me={me}
              onChange={() => setEdited({ credential })}
            />
          ))}
        </Stack>
      )}
      {edited && (
        <CredentialDialog
          credential={edited.credential}
          server={server.data}
          me={me}
          isFirst={list.length === 0}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  )
}
