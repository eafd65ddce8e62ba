import { Anchor, List, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { Facts } from '../../../ui/facts.tsx'
import { ErrorState, PageLoading } from '../../../ui/states.tsx'
import { rulesQuery } from '../api/senders.ts'
import { ruleIn } from '../french-rules.ts'

const words = defineWords(
  {
    country: 'Country',
    elsewhere: 'Every other country',
    names: 'Names',
    allowed: 'Allowed',
    registered: 'Only names in the country’s own register',
    none: 'None: phones show no names',
    form: 'Form of names',
    register: 'Register',
    codes: 'Short codes',
    code: { marketing: 'marketing', transactional: 'transactional' },
    numbers: 'Numbers',
    hours: 'Marketing hours',
    anytime: 'At any time',
    upTo: (start: string, end: string) => `From ${start} to ${end}`,
    stretched: (end: string) => `; to ${end} if the account sets it`,
    sundays: 'Sundays',
    holidays: 'Public holidays',
    days: { allowed: 'Allowed', 'advised-against': 'Advised against; only if turned on', forbidden: 'Forbidden' },
    optOut: 'Opt-out mention',
    required: 'Required',
    advised: 'Advised',
    tolerated: 'Tolerated',
    forbidden: 'Forbidden',
    source: 'Published at',
    date: 'As of',
    territories: 'Also in',
    note: 'Note'
  },
  {
    country: 'Pays',
    elsewhere: 'Tous les autres pays',
    names: 'Noms',
    allowed: 'Permis',
    registered: 'Seulement ceux du registre du pays',
    none: 'Aucun : les téléphones n’affichent pas de noms',
    form: 'Forme des noms',
    register: 'Registre',
    codes: 'Numéros courts',
    code: { marketing: 'marketing', transactional: 'transactionnel' },
    numbers: 'Numéros',
    hours: 'Heures du marketing',
    anytime: 'À toute heure',
    upTo: (start: string, end: string) => `De ${start} à ${end}`,
    stretched: (end: string) => ` ; jusqu’à ${end} si le compte le choisit`,
    sundays: 'Dimanches',
    holidays: 'Jours fériés',
    days: { allowed: 'Permis', 'advised-against': 'Déconseillé ; seulement si activé', forbidden: 'Interdit' },
    optOut: 'Mention STOP',
    required: 'Obligatoire',
    advised: 'Conseillée',
    tolerated: 'Toléré',
    forbidden: 'Interdit',
    source: 'Publié sur',
    date: 'En date du',
    territories: 'Aussi valables pour',
    note: 'Remarque'
  }
)

type Rules = Schemas['CountryRules']

export function CountryRulesView({ country: own }: { country: string }) {
  const say = useWords(words)
  const { country: nameOf } = useFormats()
  const { data, isError, error, refetch } = useQuery(rulesQuery)
  const [chosen, setChosen] = useState(own)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const options = data.countries
    .map(({ country }) => ({ value: country, label: nameOf(country) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const found = data.countries.find(({ country, territories }) => country === chosen || territories.includes(chosen))
  return (
    <Stack gap="sm" maw={760}>
      <Select
        label={say.country}
        searchable
        allowDeselect={false}
        value={found?.country ?? ''}
        onChange={(value) => setChosen(value ?? '')}
        data={[...options, { value: '', label: say.elsewhere }]}
      />
      <RulesCard rules={found ?? data.elsewhere} title={found ? nameOf(found.country) : say.elsewhere} />
    </Stack>
  )
}

function RulesCard({ rules, title }: { rules: Rules; title: string }) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats('UTC')
  const { hours, names } = rules
  const stretched = hours && hours.end_max !== hours.end ? say.stretched(hours.end_max) : ''
  const rows: [string, string][] = [
    [say.names, say[names.status]],
    [say.form, names.status === 'none' ? '' : ruleIn(language, names.form)],
    [say.register, ruleIn(language, names.register)],
    [
      say.codes,
      rules.short_codes.map(({ prefix, digits, use }) => `${prefix.padEnd(digits, 'x')} (${say.code[use]})`).join(', ')
    ],
    [say.numbers, ruleIn(language, rules.numbers)],
    [say.hours, hours ? `${say.upTo(hours.start, hours.end)}${stretched}` : say.anytime],
    [say.sundays, hours ? say.days[hours.sundays] : ''],
    [say.holidays, hours ? say.days[hours.holidays] : ''],
    [say.optOut, say[rules.opt_out]],
    [say.territories, rules.territories.map(formats.country).join(', ')],
    [say.date, formats.calendarDay(rules.date)],
    [say.note, ruleIn(language, rules.note)]
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Facts rows={rows} nameWidth={160} />
      {(['tolerated', 'forbidden'] as const).map(
        (kind) =>
          rules[kind].length > 0 && (
            <div key={kind}>
              <Text size="sm" fw={600} mt="sm">
                {say[kind]}
              </Text>
              <List size="sm">
                {rules[kind].map((sentence) => (
                  <List.Item key={sentence}>{ruleIn(language, sentence)}</List.Item>
                ))}
              </List>
            </div>
          )
      )}
      {rules.source && (
        <Text size="sm" mt="sm" className="words">
          {say.source}{' '}
          <Anchor href={rules.source} target="_blank" rel="noreferrer noopener" size="sm">
            {rules.source}
          </Anchor>
        </Text>
      )}
    </Paper>
  )
}
