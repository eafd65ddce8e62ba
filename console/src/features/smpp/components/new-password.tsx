import { Button, Stack, Text } from '@mantine/core'
import { defineWords, useWords } from '../../../lib/language.ts'
import { CopyField } from '../../../ui/copy-field.tsx'
import type { NewSmppCredential, SmppServer } from '../api/smpp.ts'
import { SANDBOX_PHONE, smppWords } from '../words.ts'
import { ServerFacts } from './server-facts.tsx'

const words = defineWords(
  {
    fresh: 'The password is shown only now.',
    try: 'To try',
    tryHint: 'destination_addr of a virtual phone that receives everything.',
    kept: 'I’ve saved it'
  },
  {
    fresh: 'Le mot de passe n’est affiché que maintenant.',
    try: 'Pour essayer',
    tryHint: 'destination_addr d’un téléphone virtuel qui reçoit tout.',
    kept: 'C’est noté'
  }
)

interface Given {
  credential: NewSmppCredential
  server: SmppServer
  isSandbox: boolean
  onDone(): void
}

/** All that a client needs to bind, with the password, shown once. */
export function NewPassword({ credential, server, isSandbox, onDone }: Given) {
  const say = { ...useWords(smppWords), ...useWords(words) }
  return (
    <Stack>
      <Text>{say.fresh}</Text>
      <ServerFacts server={server} columns={1} />
      <CopyField label="system_id" value={credential.system_id} />
      <CopyField label={say.password} value={credential.password} />
      {isSandbox && <CopyField label={say.try} description={say.tryHint} value={SANDBOX_PHONE} />}
      <Button onClick={onDone}>{say.kept}</Button>
    </Stack>
  )
}
