import { SimpleGrid } from '@mantine/core'
import { useWords } from '../../../lib/language.ts'
import { CopyField } from '../../../ui/copy-field.tsx'
import { hostOf, type SmppServer } from '../api/smpp.ts'
import { smppWords } from '../words.ts'

/** Where a client binds. */
export function ServerFacts({ server, columns }: { server: SmppServer; columns: number }) {
  const say = useWords(smppWords)
  return (
    <SimpleGrid cols={{ base: 1, sm: columns }}>
      <CopyField label={say.host} value={hostOf(server)} />
      {server.port !== null && <CopyField label={say.port} value={String(server.port)} />}
      {server.tls_port !== null && <CopyField label={say.tlsPort} value={String(server.tls_port)} />}
    </SimpleGrid>
  )
}
