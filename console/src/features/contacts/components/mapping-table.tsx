import { NativeSelect, ScrollArea, Table, Text } from '@mantine/core'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { Preview } from '../api/import-contacts.ts'
import { type ContactField, CUSTOM_FIELDS, fieldWords, PERSON_FIELDS } from '../fields.ts'

const words = defineWords(
  {
    table: 'The first rows of the file, and the field each column goes to',
    leftOut: 'Leave out',
    custom: 'Custom fields',
    untitled: (position: number) => `Column ${position}`,
    fieldOf: (name: string) => `Field for the column ${name}`
  },
  {
    table: 'Les premières lignes du fichier, et le champ où va chaque colonne',
    leftOut: 'Ne pas importer',
    custom: 'Champs personnalisés',
    untitled: (position: number) => `Colonne ${position}`,
    fieldOf: (name: string) => `Champ pour la colonne ${name}`
  }
)

interface Given {
  preview: Preview
  fields: (ContactField | null)[]
  onChange(fields: (ContactField | null)[]): void
}

/** The file as it will be read: above each column, its field. */
export function MappingTable({ preview, fields, onChange }: Given) {
  const say = useWords(words)
  const labels = useWords(fieldWords)
  const titleOf = (index: number) => preview.columns[index]?.name || say.untitled(index + 1)
  const options = (of: readonly ContactField[]) => of.map((field) => ({ value: field, label: labels[field] }))
  const data = [
    { value: '', label: say.leftOut },
    ...options(PERSON_FIELDS),
    { group: say.custom, items: options(CUSTOM_FIELDS) }
  ]
  // A field has one column: the column that had it before is left out.
  const give = (column: number, chosen: ContactField | null) =>
    onChange(fields.map((field, index) => (index === column ? chosen : field === chosen ? null : field)))
  const dimmed = (index: number) => (fields[index] === null ? { c: 'dimmed' } : {})
  return (
    <ScrollArea
      type="auto"
      offsetScrollbars="present"
      viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': say.table }}
    >
      <Table withTableBorder withColumnBorders highlightOnHover={false} verticalSpacing={6} aria-label={say.table}>
        <Table.Thead>
          <Table.Tr>
            {preview.columns.map((_column, index) => (
              <Table.Th key={index} miw={232} maw={280}>
                <Text size="sm" fw={600} mb={6} className="cut" title={titleOf(index)}>
                  {titleOf(index)}
                </Text>
                <NativeSelect
                  size="sm"
                  fw={400}
                  aria-label={say.fieldOf(titleOf(index))}
                  data={data}
                  value={fields[index] ?? ''}
                  onChange={(event) => give(index, (event.currentTarget.value || null) as ContactField | null)}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {preview.rows.map((row, line) => (
            <Table.Tr key={line}>
              {row.map((cell, index) => (
                <Table.Td key={index} maw={280}>
                  <Text size="sm" className="cut" title={cell} {...dimmed(index)}>
                    {cell || '\u00A0'}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}
