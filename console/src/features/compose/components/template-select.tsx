import { Select } from '@mantine/core'
import { IconTemplate } from '@tabler/icons-react'
import { defineWords, useWords } from '../../../lib/language.ts'

const words = defineWords(
  { template: 'From a template', none: 'There is no template yet' },
  { template: 'Depuis un modèle', none: 'Il n’y a pas encore de modèle' }
)

/** Begins with a template. */
export function TemplateSelect<T extends { id: number; name: string }>({
  templates,
  onChoose
}: {
  templates: T[]
  onChoose(template: T): void
}) {
  const say = useWords(words)
  return (
    <Select
      aria-label={say.template}
      placeholder={say.template}
      leftSection={<IconTemplate size={16} aria-hidden />}
      searchable
      value={null}
      data={templates.map(({ id, name }) => ({ value: String(id), label: name }))}
      nothingFoundMessage={say.none}
      onChange={(id) => {
        const template = templates.find((each) => String(each.id) === id)
        if (template) onChoose(template)
      }}
    />
  )
}
