import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import { defineWords, readLanguage, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { useSendMessage } from '../api/send-message.ts'
import { describeSent } from '../describe-sent.ts'
import type { Draft } from '../draft.ts'

const words = defineWords(
  {
    title: 'Send a test',
    about: 'To one phone, now. It costs what one recipient costs; variables without a value stay empty.',
    phone: 'My phone',
    send: 'Send the test',
    back: 'Back'
  },
  {
    title: 'Envoyer un test',
    about:
      'À un seul téléphone, maintenant. Il coûte le prix d’un destinataire ; les variables sans valeur restent vides.',
    phone: 'Mon téléphone',
    send: 'Envoyer le test',
    back: 'Retour'
  }
)

interface Given {
  draft: Draft
  phone: string
  timeZone: string
  onSent(phone: string): void
}

export function openTestDialog(given: Given): void {
  const id = 'test'
  modals.open({
    modalId: id,
    title: words[readLanguage()].title,
    children: <TestDialog {...given} onClose={() => modals.close(id)} />
  })
}

const PLACE = /#(?!STOP_XXX#|SHORTURL#)(\p{L}[\p{L}\p{M}\p{N}_]*)#/giu

function TestDialog({ draft, phone: own, timeZone, onSent, onClose }: Given & { onClose(): void }) {
  const say = useWords(words)
  const [phone, setPhone] = useState(own)
  const act = useActKey()
  const send = useSendMessage()
  // There are no values of variables here, and the service refuses a variable without any.
  const blank = (text: string) => text.replaceAll(PLACE, '')
  const test: Draft = {
    ...draft,
    replaces: null,
    spread: null,
    audience: 'numbers',
    numbers: phone,
    scheduleAt: null,
    category: 'transactional',
    content: blank(draft.content),
    fallback: blank(draft.fallback),
    rcs: JSON.parse(blank(JSON.stringify(draft.rcs)))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate(
          { draft: test, idempotencyKey: act.keyOf({ phone }) },
          {
            onSuccess(sent) {
              notifications.show({ color: 'green', message: describeSent(sent, timeZone) })
              onSent(phone)
              onClose()
            }
          }
        )
      }}
    >
      <Stack>
        <Text>{say.about}</Text>
        {send.isError && <Problem error={send.error} />}
        <TextInput
          label={say.phone}
          type="tel"
          autoComplete="tel"
          required
          data-autofocus
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.back}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {say.send}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
