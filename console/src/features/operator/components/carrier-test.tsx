import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { useMe } from '../../account/api/me.ts'
import { openPhone } from '../../phones/open-phone.ts'
import { type Carrier, testCarrier } from '../api/operator.ts'

const words = defineWords(
  {
    title: (carrier: string) => `Test of ${carrier}`,
    about:
      'Sends three SMS through this carrier, whatever the routes say, with every letter that it may get wrong. Each costs what any SMS costs.',
    phone: 'Your test phone',
    send: 'Send the test',
    sent: 'The test is sent. The phone must show exactly this text. If letters differ, correct “encoding” in the carriers file.',
    close: 'Close'
  },
  {
    title: (carrier: string) => `Test de ${carrier}`,
    about:
      'Envoie trois SMS par cet opérateur, quelles que soient les routes, avec toutes les lettres qu’il pourrait changer. Chacun coûte le prix d’un SMS.',
    phone: 'Votre téléphone de test',
    send: 'Envoyer le test',
    sent: 'Le test est envoyé. Le téléphone doit montrer exactement ce texte. Si des lettres diffèrent, corrigez « encoding » dans le fichier des opérateurs.',
    close: 'Fermer'
  }
)

/** Only a person with a phone can see that a carrier uses another alphabet. */
export function CarrierTest({ carrier, onClose }: { carrier: Carrier; onClose(): void }) {
  const say = useWords(words)
  const me = useMe()
  const queries = useQueryClient()
  const [phone, setPhone] = useState(me?.phone_number ?? '')
  const act = useActKey()
  const test = useMutation({
    meta: { isShown: true },
    mutationFn: (given: Parameters<typeof testCarrier>[0]) => testCarrier(given, act.keyOf(given)),
    onSuccess(_, { recipient }) {
      void queries.invalidateQueries({ queryKey: ['credits'] })
      if (me?.is_sandbox) openPhone(recipient)
    }
  })
  return (
    <Modal opened onClose={onClose} title={say.title(carrier.name)} size="lg">
      {test.data ? (
        <Stack>
          <Text role="status">{say.sent}</Text>
          {test.data.messages.map(({ message_id, content }) => (
            <Text key={message_id} className="words" ff="monospace" size="sm">
              {content}
            </Text>
          ))}
          <Button variant="default" onClick={onClose}>
            {say.close}
          </Button>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            test.mutate({ name: carrier.name, recipient: phone })
          }}
        >
          <Stack>
            <Text size="sm">{say.about}</Text>
            <TextInput
              label={say.phone}
              type="tel"
              autoComplete="tel"
              required
              data-autofocus
              value={phone}
              onChange={(event) => setPhone(event.currentTarget.value)}
            />
            {test.isError && <Problem error={test.error} />}
            <Button type="submit" loading={test.isPending}>
              {say.send}
            </Button>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
