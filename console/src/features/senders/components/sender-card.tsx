import { Anchor, Badge, Group, List, Paper, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Formats, useFormats } from '../../../lib/format.ts'
import { type Language, useLanguage, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { Facts } from '../../../ui/facts.tsx'
import { type Finding, type ProofOf, type Sender, saveProof } from '../api/senders.ts'
import { ruleIn } from '../french-rules.ts'
import { STATE_COLORS, senderWords } from '../words.ts'

/** A sender with its state, its proof and what speaks against it. */
export function SenderCard({
  sender,
  proofOf,
  facts = [],
  actions
}: {
  sender: Sender
  proofOf: ProofOf
  facts?: [name: string, value: string][]
  actions: ReactNode
}) {
  const say = useWords(senderWords)
  const save = useMutation({ mutationFn: () => saveProof(sender.id, proofOf) })
  const rows: [string, string][] = [
    ...facts,
    [say.countries, sender.countries.join(', ') || say.everywhere],
    [say.use, say[sender.use]],
    [say.proof, sender.proof],
    [say.reason, sender.reason]
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label={sender.name}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={6} flex={1} miw={240}>
          <Group gap="xs">
            <Text fw={600} ff="monospace">
              {sender.name}
            </Text>
            <Badge variant="dot" color={STATE_COLORS[sender.state]} tt="none">
              {say[sender.state]}
            </Badge>
          </Group>
          <Facts rows={rows} nameWidth={155} />
          <Group gap="md">
            {sender.link && (
              <Anchor size="sm" href={sender.link} target="_blank" rel="noreferrer noopener nofollow">
                {say.link} {sender.link}
              </Anchor>
            )}
            {sender.file && (
              <Anchor size="sm" component="button" type="button" onClick={() => save.mutate()}>
                {say.file} ({sender.file})
              </Anchor>
            )}
          </Group>
          <Findings findings={sender.findings} />
        </Stack>
        <Group gap="xs">{actions}</Group>
      </Group>
    </Paper>
  )
}

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const say = useWords(senderWords)
  const translate = useSentences()
  const language = useLanguage()
  const formats = useFormats()
  if (findings.length === 0) return null
  return (
    <List
      size="sm"
      spacing={2}
      styles={{ itemWrapper: { alignItems: 'flex-start' }, itemIcon: { marginTop: 3 } }}
      icon={<IconAlertTriangle size={16} aria-hidden color="var(--mantine-color-orange-7)" />}
    >
      {findings.map((finding, index) => (
        <List.Item key={index}>
          {finding.country === null
            ? sentenceOf(finding, say)
            : countrySentence(finding, finding.country, { say, language, formats, translate })}
        </List.Item>
      ))}
    </List>
  )
}

/** What the rules of a country say, after its name. */
function countrySentence(
  { message }: Finding,
  country: string,
  {
    say,
    language,
    formats,
    translate
  }: { say: (typeof senderWords)['en']; language: Language; formats: Formats; translate(sentence: string): string }
): string {
  const [, register] = /^must stand in the register of \w+: (.+)$/.exec(message) ?? []
  const what = register === undefined ? translate(message) : say.register(ruleIn(language, register))
  return say.inCountry(formats.country(country), what)
}

function sentenceOf({ kind, name, message, account_id: account }: Finding, say: (typeof senderWords)['en']): string {
  const whose = account === null ? '' : say.ofAccount(account)
  if (kind === 'country') return message
  const words = say[kind]
  const sentence = typeof words === 'string' ? words : words(name ?? '')
  return `${sentence.replace(/\.$/, '')}${whose}.`
}
