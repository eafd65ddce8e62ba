import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { FormCard } from '../../../ui/form-card.tsx'
import { useMay } from '../../account/api/may.ts'
import { changeHosts, type Hosts, hostsQuery } from '../api/looks.ts'

const words = defineWords(
  {
    title: 'Host names',
    about: 'The console at this host shows the look of the account. DNS and the reverse proxy must lead there first.',
    console: 'Console host',
    links: 'Host of links in messages',
    save: 'Save the host names',
    saved: 'The host names are saved.'
  },
  {
    title: 'Noms d’hôte',
    about:
      'La console affiche l’apparence du compte à ce nom d’hôte. DNS et serveur mandataire doivent d’abord y mener.',
    console: 'Nom d’hôte de la console',
    links: 'Nom d’hôte des liens des messages',
    save: 'Enregistrer les noms d’hôte',
    saved: 'Les noms d’hôte sont enregistrés.'
  }
)

/** For the operator: where the console and the links of a top-level account are. */
export function HostsForm({ id, isClosed }: { id: number; isClosed: boolean }) {
  const { data } = useQuery(hostsQuery(id))
  return data ? <Form id={id} isClosed={isClosed} hosts={data} /> : null
}

function Form({ id, isClosed, hosts }: { id: number; isClosed: boolean; hosts: Hosts }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const mayChange = useMay('account')
  const form = useForm({ initialValues: toValues(hosts) })
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: ({ console_host, link_host }: typeof form.values) =>
      changeHosts(id, { console_host: console_host.trim() || null, link_host: link_host.trim() || null }),
    onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    onSuccess(changed) {
      queries.setQueryData(hostsQuery(id).queryKey, changed)
      form.setValues(toValues(changed))
      notifications.show({ color: 'green', message: say.saved })
    }
  })
  return (
    <FormCard
      title={say.title}
      about={say.about}
      save={save}
      label={say.save}
      isOpen={mayChange && !isClosed}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <TextInput
        label={say.console}
        placeholder="sms.agence.example"
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('console_host')}
      />
      <TextInput
        label={say.links}
        placeholder="go.agence.example"
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('link_host')}
      />
    </FormCard>
  )
}

const toValues = ({ console_host, link_host }: Hosts) => ({
  console_host: console_host ?? '',
  link_host: link_host ?? ''
})
