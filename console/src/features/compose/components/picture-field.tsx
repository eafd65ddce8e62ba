import {
  Button,
  FileButton,
  Group,
  Image,
  Modal,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  UnstyledButton
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { upload } from '../../../lib/upload.ts'
import { Problem } from '../../../ui/problem.tsx'

const PICTURES_SHOWN = 50

const words = defineWords(
  {
    picture: 'Image URL',
    hint: 'https, JPEG, PNG or GIF. The phone loads it from there.',
    upload: 'Upload a picture',
    choose: 'My pictures',
    size: (width: number, height: number) => `${width} × ${height} pixels`,
    chosen: (width: number, height: number) => `Use the picture of ${width} × ${height} pixels`,
    none: 'Pictures that you upload are kept here.'
  },
  {
    picture: 'URL de l’image',
    hint: 'https, JPEG, PNG ou GIF. Le téléphone la charge depuis cette adresse.',
    upload: 'Importer une image',
    choose: 'Mes images',
    size: (width: number, height: number) => `${width} × ${height} pixels`,
    chosen: (width: number, height: number) => `Utiliser l’image de ${width} × ${height} pixels`,
    none: 'Les images que vous importez sont gardées ici.'
  }
)

interface Given {
  url: string
  onChange(url: string): void
  error: string | undefined
}

/** The picture of a card: an address, a file, or a picture that was uploaded before. */
export function PictureField({ url, onChange, error }: Given) {
  const say = useWords(words)
  const [isChoosing, setChoosing] = useState(false)
  const add = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.set('file', file)
      return upload('addPicture', form, {})
    },
    onSuccess: (picture) => onChange(picture.url)
  })
  return (
    <Stack gap="xs">
      <TextInput
        label={say.picture}
        description={say.hint}
        type="url"
        value={url}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
      <Group gap="xs">
        <FileButton onChange={(file) => file && add.mutate(file)} accept="image/jpeg,image/png,image/gif">
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={add.isPending}>
              {say.upload}
            </Button>
          )}
        </FileButton>
        <Button variant="default" size="xs" onClick={() => setChoosing(true)}>
          {say.choose}
        </Button>
      </Group>
      {add.error && <Problem error={add.error} />}
      {isChoosing && (
        <PicturesDialog
          onClose={() => setChoosing(false)}
          onChoose={(picture) => {
            onChange(picture.url)
            setChoosing(false)
          }}
        />
      )}
    </Stack>
  )
}

function PicturesDialog({ onClose, onChoose }: { onClose(): void; onChoose(picture: Schemas['Picture']): void }) {
  const say = useWords(words)
  const { data, error } = useQuery({
    queryKey: ['pictures'],
    queryFn: () => call('listPictures', { query: { limit: PICTURES_SHOWN } })
  })
  return (
    <Modal opened onClose={onClose} title={say.choose} size="lg">
      {error && <Problem error={error} />}
      {data?.items.length === 0 && <Text c="dimmed">{say.none}</Text>}
      <SimpleGrid cols={{ base: 2, sm: 3 }}>
        {data?.items.map((picture) => (
          <UnstyledButton
            key={picture.id}
            onClick={() => onChoose(picture)}
            aria-label={say.chosen(picture.width, picture.height)}
          >
            <Image src={picture.url} alt="" h={110} fit="cover" radius="sm" />
            <Text size="xs" c="dimmed">
              {say.size(picture.width, picture.height)}
            </Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </Modal>
  )
}
