import { Button, Group, Modal, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { Problem } from '../../../ui/problem.tsx'
import type { Sender } from '../api/senders.ts'
import { senderWords } from '../words.ts'
import { Findings } from './sender-card.tsx'

const words = defineWords(
  {
    title: 'Declare a sender',
    name: 'Name or number',
    nameHint: 'The name that the phone shows, such as MYSHOP.',
    countries: 'Countries, such as FR; none means all',
    proof: 'Why you may use it',
    proofHint: 'A trade mark with its number, a company name, a domain.',
    link: 'A page that shows it',
    declare: 'Declare',
    back: 'Back',
    fine: 'No problem found.',
    problem: (what: string) => `The sender ${what}.`
  },
  {
    title: 'Déclarer un expéditeur',
    name: 'Nom ou numéro',
    nameHint: 'Le nom que le téléphone affiche, par exemple MABOUTIQUE.',
    countries: 'Pays, par exemple FR ; aucun signifie tous',
    proof: 'Pourquoi vous pouvez l’utiliser',
    proofHint: 'Une marque avec son numéro, une raison sociale, un domaine.',
    link: 'Une page qui le montre',
    declare: 'Déclarer',
    back: 'Retour',
    fine: 'Aucun problème trouvé.',
    problem: (what: string) => `L’expéditeur ${what}.`
  }
)

/** A pause in typing after which the name is checked. */
const CHECK_PAUSE_MS = 300
/** The most countries that are checked while somebody types; the declaration checks all of them. */
const CHECKED_MAX = 10

export function DeclareDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const states = useWords(senderWords)
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [countries, setCountries] = useState<string[]>([])
  const [use, setUse] = useState<Sender['use']>('any')
  const [proof, setProof] = useState('')
  const [link, setLink] = useState('')
  const declare = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('declareSender', { body: { name, countries, use, proof, link } }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['senders'] })
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    declare.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={say.title}>
      <form onSubmit={submit}>
        <Stack>
          {declare.isError && <Problem error={declare.error} />}
          <TextInput
            label={say.name}
            description={say.nameHint}
            required
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Check name={name} countries={countries} />
          <TagsInput
            label={say.countries}
            value={countries}
            onChange={(values) => setCountries(values.map((value) => value.trim().toUpperCase()))}
          />
          <Select
            label={states.use}
            value={use}
            onChange={(value) => setUse((value as Sender['use'] | null) ?? 'any')}
            data={(['any', 'marketing', 'transactional'] as const).map((value) => ({ value, label: states[value] }))}
            allowDeselect={false}
          />
          <Textarea
            label={say.proof}
            description={say.proofHint}
            autosize
            minRows={2}
            value={proof}
            onChange={({ currentTarget }) => setProof(currentTarget.value)}
          />
          <TextInput label={say.link} value={link} onChange={({ currentTarget }) => setLink(currentTarget.value)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" loading={declare.isPending}>
              {say.declare}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** What speaks against the name, while it is typed: in each of the countries, or in the account's own. */
function Check({ name, countries }: { name: string; countries: readonly string[] }) {
  const say = useWords(words)
  const translate = useSentences()
  const [given] = useDebouncedValue(name.trim(), CHECK_PAUSE_MS)
  const named = countries.filter((country) => /^[A-Z]{2}$/.test(country)).slice(0, CHECKED_MAX)
  const checks = useQueries({
    queries: (named.length > 0 ? named : [undefined]).map((country) => ({
      queryKey: ['senders', 'check', given, country],
      queryFn: () => call('checkSenderName', { query: { name: given, ...(country !== undefined && { country }) } }),
      enabled: given !== '',
      meta: { isShown: true }
    }))
  })
  const answers = checks.flatMap(({ data }) => (data ? [data] : []))
  if (given === '' || answers.length === 0) return null
  const problem = answers.find(({ problem }) => problem !== '')?.problem
  if (problem !== undefined) {
    return (
      <Text size="sm" c="var(--mantine-color-error)">
        {say.problem(translate(problem))}
      </Text>
    )
  }
  const findings = new Map(answers.flatMap(({ findings }) => findings).map((finding) => [finding.message, finding]))
  if (findings.size === 0) {
    return (
      <Text size="sm" c="dimmed">
        {say.fine}
      </Text>
    )
  }
  return <Findings findings={[...findings.values()]} />
}
