import { ActionIcon, Group, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSend2 } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import type { Schemas } from '../../../lib/api.ts'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { MissingCredits } from '../../compose/components/summary-card.tsx'
import { answer, replyCostQuery } from '../api/replies.ts'
import { fillIn } from '../fill-in.ts'
import { CannedRepliesMenu } from './canned-replies.tsx'
import classes from './conversation-view.module.css'

const words = defineWords(
  {
    answer: 'Reply',
    placeholder: 'Write a reply …',
    send: 'Send the reply',
    segment: 'SMS segment',
    segments: 'SMS segments',
    credit: 'credit',
    credits: 'credits'
  },
  {
    answer: 'Répondre',
    placeholder: 'Écrivez une réponse…',
    send: 'Envoyer la réponse',
    segment: 'segment SMS',
    segments: 'segments SMS',
    credit: 'crédit',
    credits: 'crédits'
  }
)

/** The pause in typing after which the cost is asked for. */
const REST_MS = 300

export function AnswerBox({ phone, contacts }: { phone: string; contacts: readonly Schemas['ContactsWithId'][] }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const act = useActKey()
  const send = useMutation({
    mutationFn: () => answer({ to: phone, content: text, key: act.keyOf({ phone, text }) }),
    onSuccess() {
      act.renew()
      setText('')
      for (const queryKey of [['replies'], ['messages'], ['credits']]) void queries.invalidateQueries({ queryKey })
    }
  })
  const isEmpty = text.trim() === ''
  return (
    <form
      className={classes.foot}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) send.mutate()
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <CannedRepliesMenu
          onChoose={(content) => setText(`${isEmpty ? '' : `${text} `}${fillIn(content, contacts)}`)}
        />
        <Textarea
          aria-label={say.answer}
          placeholder={say.placeholder}
          autosize
          minRows={1}
          maxRows={5}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        <ActionIcon type="submit" size={36} aria-label={say.send} loading={send.isPending} disabled={isEmpty}>
          <IconSend2 size={18} aria-hidden />
        </ActionIcon>
      </Group>
      {!isEmpty && <Cost phone={phone} text={text} />}
    </form>
  )
}

/** What the reply takes, before it is sent. */
function Cost({ phone, text }: { phone: string; text: string }) {
  const say = useWords(words)
  const language = useLanguage()
  const [rested] = useDebouncedValue(text, REST_MS)
  const { data, error } = useQuery({
    ...replyCostQuery(phone, rested),
    enabled: rested.trim() !== '',
    placeholderData: keepPreviousData
  })
  if (error) return <Problem error={error} isWarning />
  if (!data) return null
  return (
    <>
      <Text size="xs" c="dimmed" mt={6} role="status" className="digits">
        {counted(language, data.sms_count, say.segment, say.segments)} ·{' '}
        {counted(language, data.credits_required, say.credit, say.credits)}
      </Text>
      {data.credits_missing > 0 && <MissingCredits count={data.credits_missing} />}
    </>
  )
}
