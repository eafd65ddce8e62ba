import { Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { AgentSelect } from '../../agents/components/agent-select.tsx'
import { rcsTemplatesQuery, smsTemplatesQuery } from '../../templates/api/templates.ts'
import type { Person } from '../api/people.ts'
import type { Draft } from '../draft.ts'
import { fromRcsTemplate } from '../rcs-template.ts'
import { RcsFields } from './rcs-fields.tsx'
import { SenderInput, SmsText } from './sms-fields.tsx'
import { TemplateSelect } from './template-select.tsx'

const words = defineWords(
  {
    channel: 'Channel',
    message: 'Message',
    fallback: 'SMS for phones without RCS',
    fallbackHint:
      'Sent by SMS if RCS isn’t available; you pay only for the SMS. Empty: nothing is sent or charged then.'
  },
  {
    channel: 'Canal',
    message: 'Message',
    fallback: 'SMS pour les téléphones sans RCS',
    fallbackHint:
      'Envoyé par SMS si le RCS est indisponible ; seul le SMS est facturé. Vide : rien n’est alors envoyé ni facturé.'
  }
)

export function ChannelControl({
  channel,
  onChange
}: {
  channel: Draft['channel']
  onChange(channel: Draft['channel']): void
}) {
  const say = useWords(words)
  return (
    <SegmentedControl
      aria-label={say.channel}
      value={channel}
      onChange={(value) => onChange(value as Draft['channel'])}
      data={[
        { value: 'sms', label: 'SMS' },
        { value: 'rcs', label: 'RCS' }
      ]}
    />
  )
}

interface MessageGiven {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  problems: Record<string, string>
  /** The first people who would get it: what their file names can be inserted. */
  people: Person[]
}

export function MessageCard({ draft, onChange, problems, people }: MessageGiven) {
  const say = useWords(words)
  const variables = variablesOf(people)
  const isSms = draft.channel === 'sms'
  const { data: smsTemplates = [] } = useQuery({ ...smsTemplatesQuery, enabled: isSms })
  const { data: rcsTemplates = [] } = useQuery({ ...rcsTemplatesQuery, enabled: !isSms })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.message}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say.message}
          </Title>
          {isSms ? (
            <TemplateSelect
              templates={smsTemplates}
              onChoose={({ content, sender }) => onChange({ content, sender })}
            />
          ) : (
            <TemplateSelect templates={rcsTemplates} onChoose={(template) => onChange(fromRcsTemplate(template))} />
          )}
        </Group>
        {isSms ? (
          <SmsText
            content={draft.content}
            onContent={(content) => onChange({ content })}
            variables={variables}
            problem={problems.content}
          />
        ) : (
          <>
            <AgentSelect agent={draft.agent} onChange={(agent) => onChange({ agent })} />
            <RcsFields rcs={draft.rcs} onChange={(rcs) => onChange({ rcs })} problems={problems} />
            <SmsText
              label={say.fallback}
              content={draft.fallback}
              onContent={(fallback) => onChange({ fallback })}
              variables={variables}
              problem={problems['fallback.content']}
              minRows={2}
            />
            <Text size="sm" c="dimmed">
              {say.fallbackHint}
            </Text>
          </>
        )}
        <SenderInput
          sender={draft.sender}
          onSender={(sender) => onChange({ sender })}
          problem={problems.sender ?? problems['fallback.sender']}
        />
      </Stack>
    </Paper>
  )
}

/** The variables of a file; those of contacts are always offered. */
function variablesOf(people: Person[]): string[] {
  return Object.keys(people[0]?.values ?? {}).filter(
    (name) => /^\p{L}[\p{L}\p{M}\p{N}_]*$/u.test(name) && !name.startsWith('champ_') && name !== 'tel'
  )
}
