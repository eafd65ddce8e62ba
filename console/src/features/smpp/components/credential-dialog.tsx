import {
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { type Proof, ProofFields } from '../../security/components/proof-fields.tsx'
import { credentialsQuery, type SmppCredential, type SmppServer } from '../api/smpp.ts'
import { smppWords } from '../words.ts'
import { NewPassword } from './new-password.tsx'

const words = defineWords(
  {
    create: 'New credentials',
    systemIdHint: 'Up to 15 characters without spaces. The client binds with it.',
    addresses: 'Networks, such as 192.0.2.0/24; none means any',
    binds: 'Binds at once',
    window: 'Window',
    throughput: 'Submits/s',
    unlimited: 'no limit',
    category: 'Message type',
    transactional: 'Transactional',
    marketing: 'Marketing',
    binary: 'May submit binary data',
    active: 'Active',
    trial: 'Test client',
    save: 'Save',
    back: 'Back'
  },
  {
    create: 'Nouveaux identifiants',
    systemIdHint: '15 caractères au plus, sans espace. Le client se connecte avec.',
    addresses: 'Réseaux, par exemple 192.0.2.0/24 ; aucun signifie tous',
    binds: 'Connexions (binds) à la fois',
    window: 'Fenêtre',
    throughput: 'Envois/s',
    unlimited: 'sans limite',
    category: 'Type de message',
    transactional: 'Transactionnel',
    marketing: 'Marketing',
    binary: 'Peut soumettre des données binaires',
    active: 'Actifs',
    trial: 'Client d’essai',
    save: 'Enregistrer',
    back: 'Retour'
  }
)

interface Given {
  /** The credentials to change; undefined for new ones. */
  credential: SmppCredential | undefined
  server: SmppServer
  me: Schemas['Me']
  /** Whether the account has none yet: in the sandbox, the form is filled in for a try. */
  isFirst: boolean
  onClose(): void
}

const BINDS_MAX = 50
const WINDOW_MAX = 1_000
const THROUGHPUT_MAX = 100_000
const NEW = {
  addresses: [] as string[],
  binds: 4,
  window: 100,
  throughput: '' as number | '',
  category: 'transactional' as SmppCredential['category'],
  binary: false,
  active: true
}

export function CredentialDialog({ credential, server, me, isFirst, onClose }: Given) {
  const say = { ...useWords(smppWords), ...useWords(words) }
  const queries = useQueryClient()
  const [proof, setProof] = useState<Proof>({})
  const isTrial = me.is_sandbox && isFirst
  const form = useForm({
    initialValues: credential
      ? { ...credential, throughput: credential.throughput ?? ('' as const) }
      : { ...NEW, system_id: isTrial ? `trial${me.id}` : '', name: isTrial ? say.trial : '' }
  })
  const save = useMutation({
    meta: { isShown: true },
    async mutationFn({ system_id, name, addresses, binds, window, throughput, category, binary, active }: Values) {
      const limit = throughput === '' ? null : throughput
      const fields = { name, addresses, binds, window, throughput: limit, category, binary }
      if (!credential) return call('createSmppCredential', { body: { system_id, ...fields, ...proof } })
      await call('changeSmppCredential', { path: { id: credential.id }, body: { ...fields, active } })
      return undefined
    },
    onSuccess(made) {
      void queries.invalidateQueries({ queryKey: credentialsQuery.queryKey })
      if (!made) onClose()
    }
  })
  type Values = typeof form.values
  const number = (name: 'binds' | 'window' | 'throughput', max: number) => (
    <NumberInput label={say[name]} min={1} max={max} allowDecimal={false} {...form.getInputProps(name)} />
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={credential ? credential.system_id : say.create}
      {...(save.data && ONLY_WHEN_KEPT)}
    >
      {save.data ? (
        <NewPassword credential={save.data} server={server} isSandbox={me.is_sandbox} onDone={onClose} />
      ) : (
        <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
          <Stack>
            {!credential && (
              <TextInput
                label="system_id"
                description={say.systemIdHint}
                required
                maxLength={15}
                data-autofocus
                {...form.getInputProps('system_id')}
              />
            )}
            <TextInput label={say.name} required maxLength={100} {...form.getInputProps('name')} />
            <TagsInput label={say.addresses} {...form.getInputProps('addresses')} />
            <SimpleGrid cols={3} style={{ alignItems: 'end' }}>
              {number('binds', BINDS_MAX)}
              {number('window', WINDOW_MAX)}
              <NumberInput
                label={say.throughput}
                placeholder={say.unlimited}
                min={1}
                max={THROUGHPUT_MAX}
                allowDecimal={false}
                {...form.getInputProps('throughput')}
              />
            </SimpleGrid>
            <Select
              label={say.category}
              allowDeselect={false}
              data={[
                { value: 'transactional', label: say.transactional },
                { value: 'marketing', label: say.marketing }
              ]}
              {...form.getInputProps('category')}
            />
            {me.permissions.includes('binary') && (
              <Switch label={say.binary} {...form.getInputProps('binary', { type: 'checkbox' })} />
            )}
            {credential ? (
              <Switch label={say.active} {...form.getInputProps('active', { type: 'checkbox' })} />
            ) : (
              <ProofFields proof={proof} onChange={setProof} />
            )}
            {save.isError && <Problem error={save.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {say.back}
              </Button>
              <Button type="submit" loading={save.isPending}>
                {credential ? say.save : say.create}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
