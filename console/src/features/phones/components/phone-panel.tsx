import { CloseButton, Group, Paper, Text } from '@mantine/core'
import { defineWords, useWords } from '../../../lib/language.ts'
import { openPhone, useOpenPhone } from '../open-phone.ts'
import classes from './phone-panel.module.css'
import { VirtualPhone } from './virtual-phone.tsx'

const words = defineWords(
  { title: 'Virtual phone', close: 'Close the phone' },
  { title: 'Téléphone virtuel', close: 'Fermer le téléphone' }
)

export function PhonePanel() {
  const say = useWords(words)
  const number = useOpenPhone()
  if (number === undefined) return null
  return (
    <Paper component="aside" aria-label={say.title} className={classes.panel} withBorder shadow="xl" p="sm">
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{say.title}</Text>
        <CloseButton aria-label={say.close} onClick={() => openPhone(undefined)} />
      </Group>
      <VirtualPhone key={number} number={number} />
    </Paper>
  )
}
