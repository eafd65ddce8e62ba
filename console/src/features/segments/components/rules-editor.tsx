import { ActionIcon, Button, NumberInput, Paper, Group as Row, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { contactListsQuery } from '../../contacts/api/contact-lists.ts'
import {
  DEPTH_MAX,
  type EventRule,
  type FieldRule,
  type Group,
  type ListRule,
  type Match,
  newEvent,
  newField,
  newGroup,
  newList,
  type Period,
  periodOf,
  type Rule,
  takesDay,
  takesValue,
  withPeriod
} from '../rules.ts'

const words = defineWords(
  {
    match: 'People who match',
    all: 'all of these rules',
    any: 'any of these rules',
    field: 'Field',
    condition: 'Condition',
    value: 'Value',
    day: 'Day',
    list: 'List',
    event: 'Event',
    period: 'Period',
    periods: { ever: 'ever', days: 'in the last days', since: 'since a date' },
    days: 'Days',
    daysBefore: 'Days before',
    ofMessage: (id: number) => `Only message ${id}`,
    ops: {
      is: 'is',
      is_not: 'is not',
      contains: 'contains',
      not_contains: 'does not contain',
      before: 'is before',
      after: 'is after',
      empty: 'is empty',
      not_empty: 'is not empty',
      anniversary: 'has its anniversary on the send day'
    },
    in: 'is in the list',
    not_in: 'is not in the list',
    happened: 'happened',
    not_happened: 'did not happen',
    events: {
      written: 'Message sent',
      delivered: 'Message delivered',
      clicked: 'Link opened',
      replied: 'Reply',
      opted_in: 'Consent given'
    },
    gone: 'Deleted list',
    remove: 'Remove the rule',
    addField: 'Field',
    addList: 'List',
    addEvent: 'Event',
    addGroup: 'Group',
    add: 'Add a rule:'
  },
  {
    match: 'Personnes qui respectent',
    all: 'toutes ces règles',
    any: 'au moins une de ces règles',
    field: 'Champ',
    condition: 'Condition',
    value: 'Valeur',
    day: 'Jour',
    list: 'Liste',
    event: 'Événement',
    period: 'Période',
    periods: { ever: 'sans limite', days: 'derniers jours', since: 'depuis une date' },
    days: 'Jours',
    daysBefore: 'Jours avant',
    ofMessage: (id: number) => `Message ${id} seulement`,
    ops: {
      is: 'est',
      is_not: 'n’est pas',
      contains: 'contient',
      not_contains: 'ne contient pas',
      before: 'est avant',
      after: 'est après',
      empty: 'est vide',
      not_empty: 'n’est pas vide',
      anniversary: 'a son anniversaire le jour de l’envoi'
    },
    in: 'est dans la liste',
    not_in: 'n’est pas dans la liste',
    happened: 'a eu lieu',
    not_happened: 'n’a pas eu lieu',
    events: {
      written: 'Message envoyé',
      delivered: 'Message délivré',
      clicked: 'Lien ouvert',
      replied: 'Réponse',
      opted_in: 'Consentement donné'
    },
    gone: 'Liste supprimée',
    remove: 'Retirer la règle',
    addField: 'Champ',
    addList: 'Liste',
    addEvent: 'Événement',
    addGroup: 'Groupe',
    add: 'Ajouter une règle :'
  }
)

const DAYS_MAX = 3_650
const DAYS_BEFORE_MAX = 365

/** The names of the fields of contacts, by what the API calls them. */
export type FieldLabels = Readonly<Record<string, string>>

interface Given<T> {
  value: T
  fields: FieldLabels
  onChange(value: T): void
}

/** The rules of a group, and of the groups in it. */
export function RulesEditor({
  value,
  fields,
  onChange,
  depth = 0
}: Given<{ match: Match; rules: Rule[] }> & { depth?: number }) {
  const say = useWords(words)
  const { data: lists = [] } = useQuery(contactListsQuery())
  const setRules = (rules: Rule[]) => onChange({ ...value, rules })
  const add = (rule: Rule) => setRules([...value.rules, rule])
  return (
    <Stack gap="sm">
      <Select
        label={say.match}
        w={{ base: '100%', sm: 280 }}
        allowDeselect={false}
        data={[
          { value: 'all', label: say.all },
          { value: 'any', label: say.any }
        ]}
        value={value.match}
        onChange={(match) => onChange({ ...value, match: match as Match })}
      />
      {value.rules.map((rule, index) => (
        <Row key={index} align="flex-end" wrap="nowrap" gap="xs">
          <div style={{ flex: 1, minWidth: 0 }}>
            <OneRule
              value={rule}
              fields={fields}
              depth={depth}
              onChange={(changed) => setRules(value.rules.map((each, at) => (at === index ? changed : each)))}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            mb={4}
            aria-label={say.remove}
            disabled={value.rules.length === 1}
            onClick={() => setRules(value.rules.filter((_, at) => at !== index))}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Row>
      ))}
      <Row gap="xs">
        <Text size="sm" c="dimmed">
          {say.add}
        </Text>
        <Add label={say.addField} onClick={() => add(newField())} />
        {lists[0] && <Add label={say.addList} onClick={() => lists[0] && add(newList(lists[0].id))} />}
        <Add label={say.addEvent} onClick={() => add(newEvent())} />
        {depth < DEPTH_MAX && <Add label={say.addGroup} onClick={() => add(newGroup())} />}
      </Row>
    </Stack>
  )
}

function Add({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Button variant="light" size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  )
}

function OneRule({ value, fields, onChange, depth }: Given<Rule> & { depth: number }) {
  if (value.type === 'field') return <FieldEditor value={value} fields={fields} onChange={onChange} />
  if (value.type === 'list') return <ListEditor value={value} onChange={onChange} />
  if (value.type === 'event') return <EventEditor value={value} onChange={onChange} />
  return (
    <Paper withBorder p="sm">
      <RulesEditor
        value={value}
        fields={fields}
        depth={depth + 1}
        onChange={(group) => onChange({ ...value, ...group } as Group)}
      />
    </Paper>
  )
}

function FieldEditor({ value, fields, onChange }: Given<FieldRule>) {
  const say = useWords(words)
  return (
    <Row align="flex-end" gap="xs">
      <Select
        label={say.field}
        w={{ base: '100%', sm: 160 }}
        allowDeselect={false}
        data={Object.entries(fields).map(([field, label]) => ({ value: field, label }))}
        value={value.field}
        onChange={(field) => onChange({ ...value, field: field as FieldRule['field'] })}
      />
      <Select
        label={say.condition}
        w={{ base: '100%', sm: 170 }}
        allowDeselect={false}
        data={Object.entries(say.ops).map(([op, label]) => ({ value: op, label }))}
        value={value.op}
        onChange={(chosen) => {
          const op = chosen as FieldRule['op']
          const { value: text = '', days_before: _daysBefore, ...rest } = value
          onChange({ ...rest, op, ...(takesValue(op) && { value: takesDay(op) === takesDay(value.op) ? text : '' }) })
        }}
      />
      {takesValue(value.op) && (
        <TextInput
          label={takesDay(value.op) ? say.day : say.value}
          type={takesDay(value.op) ? 'date' : 'text'}
          w={{ base: '100%', sm: 200 }}
          value={value.value ?? ''}
          onChange={(event) => onChange({ ...value, value: event.currentTarget.value })}
        />
      )}
      {value.op === 'anniversary' && (
        <NumberInput
          label={say.daysBefore}
          w={{ base: '100%', sm: 110 }}
          min={0}
          max={DAYS_BEFORE_MAX}
          clampBehavior="strict"
          allowDecimal={false}
          value={value.days_before ?? 0}
          onChange={(days) => onChange({ ...value, days_before: Number(days) })}
        />
      )}
    </Row>
  )
}

function ListEditor({ value, onChange }: Omit<Given<ListRule>, 'fields'>) {
  const say = useWords(words)
  const { data: lists } = useQuery(contactListsQuery())
  const isGone = lists && !lists.some(({ id }) => id === value.list_id)
  return (
    <Row align="flex-end" gap="xs">
      <Select
        label={say.condition}
        w={{ base: '100%', sm: 200 }}
        allowDeselect={false}
        data={[
          { value: 'in', label: say.in },
          { value: 'not_in', label: say.not_in }
        ]}
        value={value.op}
        onChange={(op) => onChange({ ...value, op: op as ListRule['op'] })}
      />
      <Select
        label={say.list}
        w={{ base: '100%', sm: 260 }}
        searchable
        allowDeselect={false}
        error={isGone ? say.gone : undefined}
        data={(lists ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        value={isGone ? null : String(value.list_id)}
        onChange={(id) => id !== null && onChange({ ...value, list_id: Number(id) })}
      />
    </Row>
  )
}

function EventEditor({ value, onChange }: Omit<Given<EventRule>, 'fields'>) {
  const say = useWords(words)
  return (
    <Row align="flex-end" gap="xs">
      <Select
        label={say.event}
        w={{ base: '100%', sm: 190 }}
        allowDeselect={false}
        data={Object.entries(say.events).map(([event, label]) => ({ value: event, label }))}
        value={value.event}
        onChange={(event) => {
          const { message_id: _message, ...rest } = value
          onChange({ ...rest, event: event as EventRule['event'] })
        }}
      />
      <Select
        label={say.condition}
        w={{ base: '100%', sm: 170 }}
        allowDeselect={false}
        data={[
          { value: 'happened', label: say.happened },
          { value: 'not_happened', label: say.not_happened }
        ]}
        value={value.op}
        onChange={(op) => onChange({ ...value, op: op as EventRule['op'] })}
      />
      <Select
        label={say.period}
        w={{ base: '100%', sm: 170 }}
        allowDeselect={false}
        data={Object.entries(say.periods).map(([period, label]) => ({ value: period, label }))}
        value={periodOf(value)}
        onChange={(period) => onChange(withPeriod(value, period as Period))}
      />
      {value.days !== undefined && (
        <NumberInput
          label={say.days}
          w={{ base: '100%', sm: 110 }}
          min={1}
          max={DAYS_MAX}
          clampBehavior="strict"
          allowDecimal={false}
          value={value.days}
          onChange={(days) => onChange({ ...value, days: Number(days) })}
        />
      )}
      {value.since !== undefined && (
        <TextInput
          label={say.day}
          type="date"
          w={{ base: '100%', sm: 160 }}
          value={value.since}
          onChange={(event) => onChange({ ...value, since: event.currentTarget.value })}
        />
      )}
      {value.message_id !== undefined && (
        <Text size="sm" mb={8}>
          {say.ofMessage(value.message_id)}
        </Text>
      )}
    </Row>
  )
}
