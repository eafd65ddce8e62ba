import { Anchor, Grid, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { VirtualPhone } from '../features/phones/components/virtual-phone.tsx'
import { toSandboxNumber } from '../features/phones/sandbox-number.ts'
import { formatPhone } from '../lib/format-phone.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'

const words = defineWords(
  {
    title: 'Virtual phone',
    about: 'The screen of any number, as its owner would see it. Nothing leaves this machine.',
    number: 'Number',
    notNumber: 'This is not a phone number.',
    known: 'Numbers with special behaviour',
    col: 'Number',
    what: 'Behaviour',
    behaviour: {
      '00': 'receives',
      '01': 'is never reached: undelivered',
      '02': 'is rejected by the carrier',
      '03': 'expires',
      '04': 'receives after 30 seconds',
      '05': 'replies “OK”',
      '06': 'replies “STOP”',
      '07': 'has no RCS: gets the SMS',
      '08': 'has RCS but is offline: gets the SMS later',
      '12': 'reads the RCS and taps its first button'
    }
  },
  {
    title: 'Téléphone virtuel',
    about: 'L’écran de n’importe quel numéro, tel que son propriétaire le verrait. Rien ne quitte cette machine.',
    number: 'Numéro',
    notNumber: 'Ce n’est pas un numéro de téléphone.',
    known: 'Des numéros au comportement particulier',
    col: 'Numéro',
    what: 'Comportement',
    behaviour: {
      '00': 'reçoit',
      '01': 'n’est jamais joint : non délivré',
      '02': 'est rejeté par l’opérateur',
      '03': 'expire',
      '04': 'reçoit après 30 secondes',
      '05': 'répond « OK »',
      '06': 'répond « STOP »',
      '07': 'n’a pas le RCS : reçoit le SMS',
      '08': 'a le RCS mais est éteint : reçoit le SMS plus tard',
      '12': 'lit le RCS et touche son premier bouton'
    }
  }
)

const REST_MS = 400
const FIRST = '+33639980000'

export function PhonePage() {
  const say = useWords(words)
  const { number } = useSearch({ strict: false }) as { number?: string | number }
  const [typed, setTyped] = useState(() => formatPhone(toSandboxNumber(String(number ?? '')) ?? FIRST))
  const [rested] = useDebouncedValue(typed, REST_MS)
  const shown = toSandboxNumber(rested)
  return (
    <Page title={say.title} about={say.about}>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <TextInput
              label={say.number}
              type="tel"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              error={shown === undefined && say.notNumber}
              maw={{ md: 340 }}
              mx="auto"
              w="100%"
            />
            {shown !== undefined && <VirtualPhone key={shown} number={shown} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h4" mb="sm">
              {say.known}
            </Title>
            <Table horizontalSpacing={5}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{say.col}</Table.Th>
                  <Table.Th>{say.what}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {Object.entries(say.behaviour)
                  .sort()
                  .map(([digits, what]) => (
                    <Table.Tr key={digits}>
                      <Table.Td>
                        <Anchor
                          component="button"
                          type="button"
                          className="digits"
                          size="sm"
                          ta="left"
                          style={{ whiteSpace: 'nowrap' }}
                          onClick={() => setTyped(formatPhone(`+336399800${digits}`))}
                        >
                          {formatPhone(`+336399800${digits}`)}
                        </Anchor>
                      </Table.Td>
                      <Table.Td>
                        <Text size="sm">{what}</Text>
                      </Table.Td>
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </Paper>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
