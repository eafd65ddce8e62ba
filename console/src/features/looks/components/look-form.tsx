import { Anchor, Button, FileButton, Group, Input, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { FormCard } from '../../../ui/form-card.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { changeLook, type LookView, lookQuery, removeLook } from '../api/looks.ts'
import { LookPreview } from './look-preview.tsx'

const words = defineWords(
  {
    title: 'Look of the console',
    about: 'People of your account and its sub-accounts see this name, colour and logo in the console and in mails.',
    aboutOperator: 'Accounts that have chosen no look show this name, colour and logo in the console and in mails.',
    name: 'Name',
    colour: 'Colour',
    colourHint: 'Such as #a61e4d. Empty: blue.',
    colourWrong: 'must be a colour such as #a61e4d',
    pick: 'Pick a colour',
    logo: 'Logo',
    logoHint: 'PNG or JPEG, at most 128 KiB and 1,024 pixels a side. Shown 28 pixels high.',
    choose: 'Choose a logo',
    without: 'Remove the logo',
    tooLarge: (size: string) => `This file has ${size}; a logo has at most 128 KiB.`,
    notImage: 'This is no PNG or JPEG file.',
    address: 'Console address:',
    save: 'Save the look',
    saved: 'The look is saved. A page shows it when it loads again.',
    remove: 'Remove the look',
    removeAsk: 'Remove the look?',
    removeHint: 'Name, colour and logo are deleted. The console shows the operator’s look.',
    removeHintOperator: 'Name, colour and logo are deleted. The console shows Chappe’s look.',
    cancel: 'Cancel',
    removed: 'The look is removed.'
  },
  {
    title: 'Apparence de la console',
    about:
      'Les personnes de votre compte et de ses sous-comptes voient ce nom, cette couleur et ce logo dans la console et les e-mails.',
    aboutOperator:
      'Les comptes sans apparence choisie affichent ce nom, cette couleur et ce logo dans la console et les e-mails.',
    name: 'Nom',
    colour: 'Couleur',
    colourHint: 'Par exemple #a61e4d. Vide : bleu.',
    colourWrong: 'doit être une couleur, par exemple #a61e4d',
    pick: 'Choisir une couleur',
    logo: 'Logo',
    logoHint: 'PNG ou JPEG, 128 Kio et 1 024 pixels de côté au plus. Affiché sur 28 pixels de haut.',
    choose: 'Choisir un logo',
    without: 'Supprimer le logo',
    tooLarge: (size: string) => `Ce fichier pèse ${size} ; un logo pèse 128 Kio au plus.`,
    notImage: 'Ce n’est pas un fichier PNG ou JPEG.',
    address: 'Adresse de la console :',
    save: 'Enregistrer l’apparence',
    saved: 'L’apparence est enregistrée. Une page l’affiche à son prochain chargement.',
    remove: 'Supprimer l’apparence',
    removeAsk: 'Supprimer l’apparence ?',
    removeHint: 'Le nom, la couleur et le logo sont supprimés. La console reprend l’apparence de l’opérateur.',
    removeHintOperator: 'Le nom, la couleur et le logo sont supprimés. La console reprend l’apparence de Chappe.',
    cancel: 'Annuler',
    removed: 'L’apparence est supprimée.'
  }
)

const NAME_LENGTH_MAX = 40
const LOGO_BYTES_MAX = 128 * 1024
const LOGO_TYPES = ['image/png', 'image/jpeg']
const COLOUR = /^#[0-9a-f]{6}$/i

/** The look of a top-level account. Its sub-accounts share it, and have no card. */
export function LookForm() {
  const role = useMe()?.role
  const isOffered = role !== undefined && role !== 'sub-account'
  const { data } = useQuery({ ...lookQuery, enabled: isOffered })
  // A new look begins a new form, with what the service has stored.
  return data && isOffered ? <Form key={JSON.stringify(data)} look={data} isOperator={role === 'operator'} /> : null
}

function Form({ look, isOperator }: { look: LookView; isOperator: boolean }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const mayChange = useMay('account')
  const form = useForm({
    initialValues: { name: look.is_own ? look.name : '', colour: (look.is_own && look.colour) || '' },
    validate: { colour: (value) => (value === '' || COLOUR.test(value) ? null : say.colourWrong) }
  })
  /** As a data URL: a new one. Null: it is to go. Undefined: it stays. */
  const [logo, setLogo] = useState<string | null>()
  const stored = look.is_own ? look.logo_path : null
  const shown = logo === undefined ? stored : logo
  const finish = (message: string) => (changed: LookView) => {
    queries.setQueryData(lookQuery.queryKey, changed)
    notifications.show({ color: 'green', message })
  }
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: ({ name, colour }: typeof form.values) =>
      changeLook({
        name,
        colour: colour === '' ? null : colour,
        ...(logo !== undefined && { logo: logo?.slice(logo.indexOf(',') + 1) })
      }),
    onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    onSuccess: finish(say.saved)
  })
  const remove = useMutation({ mutationFn: removeLook, onSuccess: finish(say.removed) })
  const { name, colour } = form.values
  return (
    <FormCard
      title={say.title}
      about={isOperator ? say.aboutOperator : say.about}
      save={save}
      label={say.save}
      isOpen={mayChange}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <TextInput
        label={say.name}
        required
        maxLength={NAME_LENGTH_MAX}
        placeholder={look.name}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={say.colour}
          description={say.colourHint}
          maxLength={7}
          autoComplete="off"
          style={{ flex: 1 }}
          {...form.getInputProps('colour')}
        />
        <input
          type="color"
          aria-label={say.pick}
          style={{ width: 44, height: 36, padding: 2 }}
          value={COLOUR.test(colour) ? colour.toLowerCase() : '#1c5d99'}
          onChange={({ currentTarget }) => form.setFieldValue('colour', currentTarget.value)}
        />
      </Group>
      <LogoField shown={shown} onChange={(next) => setLogo(next ?? (stored === null ? undefined : null))} />
      <LookPreview name={name || look.name} colour={COLOUR.test(colour) ? colour : undefined} logo={shown} />
      <Text size="sm" className="breakable">
        {say.address} <Anchor href={look.console_url}>{look.console_url}</Anchor>
      </Text>
      {mayChange && look.is_own && (
        <Button
          variant="default"
          color="red"
          loading={remove.isPending}
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            askFirst({
              title: say.removeAsk,
              children: isOperator ? say.removeHintOperator : say.removeHint,
              labels: { confirm: say.remove, cancel: say.cancel },
              confirmProps: { color: 'red' },
              onConfirm: () => remove.mutate()
            })
          }
        >
          {say.remove}
        </Button>
      )}
    </FormCard>
  )
}

/** `onChange` gets the new logo as a data URL, or undefined without one. */
function LogoField({ shown, onChange }: { shown: string | null; onChange(logo: string | undefined): void }) {
  const say = useWords(words)
  const formats = useFormats()
  const [problem, setProblem] = useState<string>()
  async function take(file: File | null): Promise<void> {
    if (!file) return
    const isImage = LOGO_TYPES.includes(file.type)
    const isSmall = file.size <= LOGO_BYTES_MAX
    setProblem(isImage ? (isSmall ? undefined : say.tooLarge(formats.size(file.size))) : say.notImage)
    if (isImage && isSmall) onChange(await readAsDataUrl(file))
  }
  return (
    <div>
      <Input.Label labelElement="div">{say.logo}</Input.Label>
      <Text size="xs" c="dimmed" mb="xs">
        {say.logoHint}
      </Text>
      <Group gap="xs">
        <FileButton onChange={(file) => void take(file)} accept={LOGO_TYPES.join()}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {say.choose}
            </Button>
          )}
        </FileButton>
        {shown !== null && (
          <Button variant="default" size="xs" onClick={() => onChange(undefined)}>
            {say.without}
          </Button>
        )}
      </Group>
      {problem !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
          {problem}
        </Text>
      )}
    </div>
  )
}

function readAsDataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(file)
  return promise
}
