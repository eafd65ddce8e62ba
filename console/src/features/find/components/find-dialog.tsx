import { Kbd, Modal, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMe } from '../../account/api/me.ts'
import { findQuery } from '../api/find.ts'
import { closeFind, useOpenFind } from '../open-find.ts'
import classes from './find-dialog.module.css'

const words = defineWords(
  {
    title: 'Find anything',
    label: 'Search pages, people, messages, lists, numbers and accounts',
    results: 'Results',
    none: 'Nothing found.',
    hint: 'Arrow keys choose, Enter opens.',
    shortcuts: 'Keyboard shortcuts',
    page: 'Page',
    kinds: {
      person: 'Person',
      message: 'Message',
      list: 'Contact list',
      number: 'Number',
      account: 'Account',
      subAccount: 'Sub-account'
    },
    keys: {
      find: 'Find anything',
      shortcuts: 'Show this list',
      send: 'In the composer: send or schedule',
      close: 'Close a dialog',
      days: 'In the calendar: the day before or after',
      months: 'In the calendar: the month before or after'
    }
  },
  {
    title: 'Tout rechercher',
    label: 'Rechercher pages, personnes, messages, listes, numéros et comptes',
    results: 'Résultats',
    none: 'Aucun résultat.',
    hint: 'Les flèches choisissent, Entrée ouvre.',
    shortcuts: 'Raccourcis clavier',
    page: 'Page',
    kinds: {
      person: 'Personne',
      message: 'Message',
      list: 'Liste de contacts',
      number: 'Numéro',
      account: 'Compte',
      subAccount: 'Sous-compte'
    },
    keys: {
      find: 'Tout rechercher',
      shortcuts: 'Afficher cette liste',
      send: 'Dans la rédaction : envoyer ou programmer',
      close: 'Fermer une fenêtre',
      days: 'Dans le calendrier : le jour d’avant ou d’après',
      months: 'Dans le calendrier : le mois d’avant ou d’après'
    }
  }
)

export interface PageOfMenu {
  name: string
  to: string
}

/** The search over everything, or the list of shortcuts. Loaded when one of them is opened first. */
export function FindDialog({ pages }: { pages: PageOfMenu[] }) {
  const say = useWords(words)
  const opened = useOpenFind()
  return (
    <>
      <Modal opened={opened === 'find'} onClose={closeFind} title={say.title} yOffset="10vh" centered={false}>
        <Finder pages={pages} />
      </Modal>
      <Modal opened={opened === 'shortcuts'} onClose={closeFind} title={say.shortcuts}>
        <Shortcuts />
      </Modal>
    </>
  )
}

const REST_MS = 200
const OPTION = 'find-option-'
const LIST = 'find-results'

interface Option {
  key: string
  kind: string
  title: string
  note: string
  to: string
}

function Finder({ pages }: { pages: PageOfMenu[] }) {
  const say = useWords(words)
  const navigate = useNavigate()
  const me = useMe()
  const [text, setText] = useState('')
  const [place, setPlace] = useState(0)
  const [search] = useDebouncedValue(text.trim(), REST_MS)
  const { data: found = [], isFetching } = useQuery({ ...findQuery(search, me), placeholderData: keepPreviousData })
  const options: Option[] = [
    ...pages
      .filter(({ name }) => plain(name).includes(plain(text.trim())))
      .map(({ name, to }) => ({ key: `page ${to}`, kind: say.page, title: name, note: '', to })),
    ...(text.trim() === '' ? [] : found).map((each) => ({ ...each, kind: say.kinds[each.kind] }))
  ]
  const chosen = Math.min(place, options.length - 1)
  function open({ to }: Option): void {
    closeFind()
    void navigate({ href: to })
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = options[chosen]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      const next = (chosen + step + options.length) % options.length
      setPlace(next)
      document.getElementById(OPTION + next)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && option) {
      event.preventDefault()
      open(option)
    }
  }
  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={say.label}
        aria-expanded
        aria-controls={LIST}
        aria-autocomplete="list"
        {...(options.length > 0 && { 'aria-activedescendant': OPTION + chosen })}
        placeholder={say.label}
        maxLength={100}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setPlace(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        className={classes.results}
        id={LIST}
        {...(options.length > 0 && { role: 'listbox', 'aria-label': say.results })}
        aria-busy={isFetching}
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: the same.
          <div
            key={option.key}
            id={OPTION + index}
            role="option"
            aria-selected={index === chosen}
            className={classes.option}
            onClick={() => open(option)}
          >
            <Text size="sm" className={`${classes.title} cut`}>
              {option.title}
            </Text>
            <Text size="xs" c="dimmed">
              {[option.note, option.kind].filter(Boolean).join(' · ')}
            </Text>
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" role="status">
        {options.length === 0 && !isFetching ? say.none : say.hint}
      </Text>
    </Stack>
  )
}

function Shortcuts() {
  const say = useWords(words)
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], say.keys.find],
    [['Ctrl', '/'], say.keys.shortcuts],
    [['Ctrl', '↵'], say.keys.send],
    [['Esc'], say.keys.close],
    [['←', '→'], say.keys.days],
    [['PageUp', 'PageDown'], say.keys.months]
  ]
  return (
    <Table withRowBorders={false}>
      <Table.Tbody>
        {rows.map(([keys, what]) => (
          <Table.Tr key={what}>
            <Table.Th scope="row" fw={400}>
              {what}
            </Table.Th>
            <Table.Td ta="right">
              {keys.map((key) => (
                <Kbd key={key} ml={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Without accents: "reglages" finds "Réglages". */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
