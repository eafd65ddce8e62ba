import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconUserOff } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { CONSENTS, type Consent, pageConsents, withdrawConsent } from '../api/consents.ts'

const words = defineWords(
  {
    title: 'Consents',
    phone: 'Phone number',
    given: 'Given',
    source: 'Where',
    wording: 'Wording',
    state: 'State',
    actions: 'Actions',
    erased: 'Erased',
    held: 'Valid',
    withdrawn: 'Withdrawn',
    all: 'SMS and RCS',
    sms: 'SMS',
    rcs: 'RCS',
    channel: 'Channel',
    form: 'Form',
    shop: 'Shop',
    import: 'File',
    keyword: 'Keyword',
    api: 'API',
    withdraw: 'Withdraw',
    ask: (phone: string) => `Withdraw the consent of ${phone}?`,
    hint: 'The record is kept. Where consent is enforced, this person gets no more marketing.',
    keep: 'Cancel',
    done: 'The consent is withdrawn.'
  },
  {
    title: 'Consentements',
    phone: 'Téléphone',
    given: 'Donné',
    source: 'Où',
    wording: 'Texte présenté',
    state: 'Statut',
    actions: 'Actions',
    erased: 'Effacé',
    held: 'Valable',
    withdrawn: 'Retiré',
    all: 'SMS et RCS',
    sms: 'SMS',
    rcs: 'RCS',
    channel: 'Canal',
    form: 'Formulaire',
    shop: 'Boutique',
    import: 'Fichier',
    keyword: 'Mot-clé',
    api: 'API',
    withdraw: 'Retirer',
    ask: (phone: string) => `Retirer le consentement de ${phone} ?`,
    hint: 'L’enregistrement est conservé. Là où le consentement est exigé, cette personne ne reçoit plus de marketing.',
    keep: 'Annuler',
    done: 'Le consentement est retiré.'
  }
)

export function ConsentsTable({ search, empty }: { search: string; empty: ReactNode }) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const mayChange = useMay('contacts')
  const client = useQueryClient()
  const withdraw = useMutation({
    mutationFn: ({ recipient, purpose }: Consent) => withdrawConsent(recipient ?? '', purpose),
    async onSuccess() {
      notifications.show({ message: say.done })
      await client.invalidateQueries({ queryKey: CONSENTS })
    }
  })
  const askToWithdraw = (consent: Consent) =>
    askFirst({
      title: say.ask(formatPhone(consent.recipient ?? '')),
      children: <Text>{say.hint}</Text>,
      labels: { confirm: say.withdraw, cancel: say.keep },
      confirmProps: { color: 'red' },
      onConfirm: () => withdraw.mutate(consent)
    })
  return (
    <DataTable<Consent>
      label={say.title}
      queryKey={[...CONSENTS, search]}
      fetchPage={(page, signal) => pageConsents({ ...page, search }, signal)}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'phone',
          title: say.phone,
          // Of a number with the name of its contact; less where the number alone fits.
          width: 'minmax(min(230px, 24%), 1.5fr)',
          cell: ({ recipient }) => (recipient === null ? say.erased : <NumberLink number={recipient} />)
        },
        {
          key: 'given',
          title: say.given,
          width: 'minmax(120px, 185px)',
          isWide: true,
          cell: (row) => formats.moment(row.given_at)
        },
        {
          key: 'source',
          title: say.source,
          width: 'minmax(70px, 110px)',
          isWide: true,
          cell: ({ source }) => say[source]
        },
        { key: 'channel', title: say.channel, width: '104px', isWide: true, cell: ({ channel }) => say[channel] },
        { key: 'wording', title: say.wording, width: 'minmax(0, 2fr)', isWide: true, cell: ({ wording }) => wording },
        {
          key: 'state',
          title: say.state,
          width: '84px',
          cell: ({ withdrawn_at: at }) => (at === null ? say.held : say.withdrawn)
        },
        {
          key: 'actions',
          title: say.actions,
          isTitleHidden: true,
          width: '36px',
          cell: (consent) =>
            mayChange && consent.withdrawn_at === null && consent.recipient !== null ? (
              <Tooltip label={say.withdraw}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say.ask(formatPhone(consent.recipient))}
                  onClick={() => askToWithdraw(consent)}
                >
                  <IconUserOff size={18} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ) : null
        }
      ]}
      empty={empty}
    />
  )
}
