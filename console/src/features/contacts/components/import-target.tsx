import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { contactListsQuery } from '../api/contact-lists.ts'

const words = defineWords(
  { into: 'Into', fresh: 'A new list', name: 'Name of the new list' },
  { into: 'Dans', fresh: 'Une nouvelle liste', name: 'Nom de la nouvelle liste' }
)

const OPTIONS_MAX = 100

/** The target of an import: an existing list, or a new one of this name. */
export interface Target {
  listId: number | undefined
  name: string
}

export function ImportTarget({ target, onChange }: { target: Target; onChange(target: Target): void }) {
  const say = useWords(words)
  const { data = [] } = useQuery(contactListsQuery())
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={say.into}
        allowDeselect={false}
        searchable
        limit={OPTIONS_MAX}
        data={[{ value: '', label: say.fresh }, ...data.map(({ id, name }) => ({ value: String(id), label: name }))]}
        value={target.listId === undefined ? '' : String(target.listId)}
        onChange={(value) => onChange({ ...target, listId: value ? Number(value) : undefined })}
      />
      {target.listId === undefined && (
        <TextInput
          label={say.name}
          required
          maxLength={255}
          value={target.name}
          onChange={(event) => onChange({ ...target, name: event.currentTarget.value })}
        />
      )}
    </SimpleGrid>
  )
}
