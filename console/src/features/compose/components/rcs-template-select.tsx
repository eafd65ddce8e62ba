import { Select } from '@mantine/core'
import { IconTemplate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { rcsTemplatesQuery } from '../../templates/api/templates.ts'
import { type Draft, fromRcsData } from '../draft.ts'

const words = defineWords(
  { template: 'From a template', none: 'There is no template yet' },
  { template: 'Depuis un modèle', none: 'Il n’y a pas encore de modèle' }
)

export function RcsTemplateSelect({ onChoose }: { onChoose(changes: Partial<Draft>): void }) {
  const say = useWords(words)
  const { data = [] } = useQuery(rcsTemplatesQuery)
  return (
    <Select
      aria-label={say.template}
      placeholder={say.template}
      leftSection={<IconTemplate size={16} aria-hidden />}
      searchable
      value={null}
      data={data.map(({ id, name }) => ({ value: String(id), label: name }))}
      nothingFoundMessage={say.none}
      onChange={(id) => {
        const template = data.find((each) => String(each.id) === id)
        if (template) onChoose(fromRcsTemplate(template))
      }}
    />
  )
}

export function fromRcsTemplate(template: Schemas['Models']): Pick<Draft, 'rcs' | 'fallback' | 'sender' | 'link'> {
  return {
    rcs: fromRcsData(template.rcs_type, template.data),
    fallback: template.fallback_content,
    sender: template.fallback_sender,
    link: template.shorturl ? { mode: template.shorturl.mode, url: template.shorturl.url } : { mode: 'none', url: '' }
  }
}
