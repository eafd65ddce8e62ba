import { ActionIcon, Button, Fieldset, Group, Menu, NumberInput, Stack, TextInput } from '@mantine/core'
import { IconExternalLink, IconMapPin, IconMessage, IconPhone, IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { Choice } from '../draft.ts'

const words = defineWords(
  {
    choices: 'Buttons',
    add: 'Add a button',
    remove: 'Remove this button',
    text: 'Reply',
    url: 'Open a link',
    call: 'Call',
    location: 'Show a location',
    label: 'Label',
    address: 'Address',
    number: 'Number',
    place: 'Name of the place',
    latitude: 'Latitude',
    longitude: 'Longitude'
  },
  {
    choices: 'Boutons',
    add: 'Ajouter un bouton',
    remove: 'Retirer ce bouton',
    text: 'Réponse',
    url: 'Ouvrir un lien',
    call: 'Appeler',
    location: 'Montrer un lieu',
    label: 'Libellé',
    address: 'Adresse',
    number: 'Numéro',
    place: 'Nom du lieu',
    latitude: 'Latitude',
    longitude: 'Longitude'
  }
)

const ICONS: Record<Choice['type'], ReactNode> = {
  text: <IconMessage size={16} aria-hidden />,
  url: <IconExternalLink size={16} aria-hidden />,
  call: <IconPhone size={16} aria-hidden />,
  location: <IconMapPin size={16} aria-hidden />
}

const FRESH: Record<Choice['type'], Choice> = {
  text: { type: 'text', text: '' },
  url: { type: 'url', title: '', url: '' },
  call: { type: 'call', title: '', phoneNumber: '' },
  location: { type: 'location', title: '', label: '', latitude: 48.8566, longitude: 2.3522 }
}

const LABEL_MAX = 25

interface Given {
  choices: Choice[]
  most: number
  onChange(choices: Choice[]): void
  problems: Record<string, string>
  path: string
}

export function ChoicesFields({ choices, most, onChange, problems, path }: Given) {
  const say = useWords(words)
  return (
    <Stack gap="xs">
      {choices.map((choice, index) => (
        <Fieldset key={index} legend={say[choice.type]} p="sm">
          <Group align="flex-start" wrap="nowrap">
            <Stack gap="xs" style={{ flex: 1 }}>
              <ChoiceFields
                choice={choice}
                problems={problems}
                path={`${path}[${index}]`}
                onChange={(changed) => onChange(choices.map((other, each) => (each === index ? changed : other)))}
              />
            </Stack>
            <ActionIcon
              variant="subtle"
              color="red"
              mt={26}
              aria-label={`${say.remove} ${index + 1}`}
              onClick={() => onChange(choices.filter((_, each) => each !== index))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Fieldset>
      ))}
      {choices.length < most && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="light"
              size="compact-sm"
              leftSection={<IconPlus size={16} aria-hidden />}
              style={{ alignSelf: 'flex-start' }}
            >
              {say.add}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['text', 'url', 'call', 'location'] as const).map((type) => (
              <Menu.Item key={type} leftSection={ICONS[type]} onClick={() => onChange([...choices, FRESH[type]])}>
                {say[type]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  )
}

function ChoiceFields({
  choice,
  onChange,
  problems,
  path
}: {
  choice: Choice
  onChange(choice: Choice): void
  problems: Record<string, string>
  path: string
}) {
  const say = useWords(words)
  const error = (field: string) => problems[`${path}.${field}`]
  if (choice.type === 'text') {
    return (
      <TextInput
        label={say.label}
        maxLength={LABEL_MAX}
        value={choice.text}
        onChange={(event) => onChange({ ...choice, text: event.currentTarget.value })}
        error={error('text')}
      />
    )
  }
  const label = (
    <TextInput
      label={say.label}
      maxLength={LABEL_MAX}
      value={choice.title}
      onChange={(event) => onChange({ ...choice, title: event.currentTarget.value })}
      error={error('title')}
    />
  )
  if (choice.type === 'url') {
    return (
      <>
        {label}
        <TextInput
          label={say.address}
          type="url"
          placeholder="https://"
          value={choice.url}
          onChange={(event) => onChange({ ...choice, url: event.currentTarget.value })}
          error={error('url')}
        />
      </>
    )
  }
  if (choice.type === 'call') {
    return (
      <>
        {label}
        <TextInput
          label={say.number}
          type="tel"
          value={choice.phoneNumber}
          onChange={(event) => onChange({ ...choice, phoneNumber: event.currentTarget.value })}
          error={error('phoneNumber')}
        />
      </>
    )
  }
  return (
    <>
      {label}
      <TextInput
        label={say.place}
        value={choice.label}
        onChange={(event) => onChange({ ...choice, label: event.currentTarget.value })}
        error={error('label')}
      />
      <Group grow>
        <NumberInput
          label={say.latitude}
          min={-90}
          max={90}
          decimalScale={6}
          value={choice.latitude}
          onChange={(value) => onChange({ ...choice, latitude: Number(value) })}
          error={error('latitude')}
        />
        <NumberInput
          label={say.longitude}
          min={-180}
          max={180}
          decimalScale={6}
          value={choice.longitude}
          onChange={(value) => onChange({ ...choice, longitude: Number(value) })}
          error={error('longitude')}
        />
      </Group>
    </>
  )
}
