import { Alert, Badge, Button, Group, Modal, Stack, Switch, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { type CarrierCapture as Capture, captureQuery, changeCapture } from '../api/operator.ts'

const words = defineWords(
  {
    title: (carrier: string) => `Last PDUs of ${carrier}`,
    about:
      'For 15 minutes, every process keeps the last 100 PDUs of each bind. Texts, passwords and whole phone numbers are never kept. All of it is deleted when the capture ends. Beginning and ending it is recorded in the audit log.',
    begin: 'Capture for 15 minutes',
    end: 'End the capture',
    ends: (time: string) => `Ends at ${time}`,
    none: 'No PDU has passed yet.',
    noErrors: 'No PDU with an error.',
    onlyErrors: 'Errors only',
    time: 'Time',
    bind: 'Bind',
    command: 'Command',
    status: 'Status',
    sequence: 'Sequence',
    from: 'From',
    to: 'To',
    length: 'Text, bytes',
    tlvs: 'TLVs, bytes',
    directions: { in: 'Received', out: 'Sent' },
    unreadable: 'Unreadable'
  },
  {
    title: (carrier: string) => `Derniers PDU de ${carrier}`,
    about:
      'Pendant 15 minutes, chaque processus garde les 100 derniers PDU de chaque lien. Les textes, mots de passe et numéros entiers ne sont jamais gardés. Tout est supprimé à la fin de la capture. Le début et la fin figurent dans le journal d’audit.',
    begin: 'Capturer 15 minutes',
    end: 'Terminer la capture',
    ends: (time: string) => `Se termine à ${time}`,
    none: 'Aucun PDU n’est encore passé.',
    noErrors: 'Aucun PDU en erreur.',
    onlyErrors: 'Erreurs seulement',
    time: 'Heure',
    bind: 'Lien',
    command: 'Commande',
    status: 'Statut',
    sequence: 'Séquence',
    from: 'De',
    to: 'À',
    length: 'Texte, octets',
    tlvs: 'TLV, octets',
    directions: { in: 'Reçu', out: 'Envoyé' },
    unreadable: 'Illisible'
  }
)

const MINUTES = 15

type Pdu = Capture['binds'][number]['pdus'][number]

/** The last PDUs of a carrier's binds, which processes keep only after somebody asked for it here. */
export function CarrierCapture({
  carrier,
  timeZone,
  onClose
}: {
  carrier: string
  timeZone: string | undefined
  onClose(): void
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const queries = useQueryClient()
  const { data, isError, error, refetch } = useQuery(captureQuery(carrier))
  const change = useMutation({
    mutationFn: (minutes: number) => changeCapture({ name: carrier, minutes }),
    onSuccess: (capture) => queries.setQueryData(captureQuery(carrier).queryKey, capture)
  })
  const endsAt = data?.ends_at
  return (
    <Modal opened onClose={onClose} title={say.title(carrier)} size="90rem">
      <Stack>
        <Text size="sm">{say.about}</Text>
        <Group>
          <Button
            size="xs"
            variant={endsAt ? 'default' : 'filled'}
            loading={change.isPending}
            disabled={!data}
            onClick={() => change.mutate(endsAt ? 0 : MINUTES)}
          >
            {endsAt ? say.end : say.begin}
          </Button>
          {endsAt && (
            <Text size="sm" role="status">
              {say.ends(formats.time(endsAt))}
            </Text>
          )}
        </Group>
        {isError && !data && <ErrorState error={error} reset={() => void refetch()} />}
        {!data && !isError && <RowsLoading rows={3} />}
        {data?.ends_at && <Pdus binds={data.binds} timeZone={timeZone} />}
      </Stack>
    </Modal>
  )
}

function isError({ status, is_readable: isReadable }: Pdu): boolean {
  return !isReadable || status !== 'ESME_ROK'
}

/** Newest first, of all binds. */
function Pdus({ binds, timeZone }: { binds: Capture['binds']; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const [isErrorsOnly, setErrorsOnly] = useState(false)
  const all = binds
    .flatMap(({ slot, process, pdus }) => pdus.map((pdu, index) => ({ pdu, slot, key: `${process} ${slot} ${index}` })))
    .sort((one, other) => other.pdu.at.localeCompare(one.pdu.at))
  const shown = isErrorsOnly ? all.filter(({ pdu }) => isError(pdu)) : all
  const heads = [say.time, say.bind, say.command, say.status, say.sequence, say.from, say.to]
  return (
    <Stack gap="sm">
      <Switch
        label={say.onlyErrors}
        checked={isErrorsOnly}
        onChange={(event) => setErrorsOnly(event.currentTarget.checked)}
      />
      {shown.length === 0 ? (
        <Alert color="gray">{isErrorsOnly && all.length > 0 ? say.noErrors : say.none}</Alert>
      ) : (
        <Table.ScrollContainer minWidth={1_000} maxHeight="60vh">
          <Table fz="xs">
            <Table.Thead>
              <Table.Tr>
                {[...heads, 'esm_class', 'data_coding', say.length, say.tlvs].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ pdu, slot, key }) => (
                <Table.Tr key={key}>
                  <Table.Td className="digits">{formats.precise(pdu.at)}</Table.Td>
                  <Table.Td className="digits">{slot}</Table.Td>
                  <Table.Td>
                    <Group gap={6} wrap="nowrap">
                      <Badge size="xs" variant="default" tt="none">
                        {say.directions[pdu.direction]}
                      </Badge>
                      {pdu.command}
                    </Group>
                  </Table.Td>
                  <Table.Td>
                    {isError(pdu) ? (
                      <Badge size="sm" color="red.8" variant="filled" tt="none">
                        {pdu.status ?? say.unreadable}
                      </Badge>
                    ) : (
                      pdu.status
                    )}
                  </Table.Td>
                  <Table.Td className="digits">{pdu.sequence}</Table.Td>
                  <Table.Td>{pdu.source}</Table.Td>
                  <Table.Td>{pdu.destination}</Table.Td>
                  <Table.Td className="digits">{hex(pdu.esm_class)}</Table.Td>
                  <Table.Td className="digits">{hex(pdu.data_coding)}</Table.Td>
                  <Table.Td className="digits">{pdu.sm_length}</Table.Td>
                  <Table.Td>{pdu.tlvs.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  )
}

/** As carriers' manuals write these fields. */
function hex(value: number | null): string {
  return value === null ? '' : `0x${value.toString(16).padStart(2, '0')}`
}
