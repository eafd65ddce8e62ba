import type { Schemas } from '../../lib/api.ts'
import { type Draft, fromRcsData } from './draft.ts'

export function fromRcsTemplate(template: Schemas['Models']): Pick<Draft, 'rcs' | 'fallback' | 'sender' | 'link'> {
  return {
    rcs: fromRcsData(template.rcs_type, template.data),
    fallback: template.fallback_content,
    sender: template.fallback_sender,
    link: template.shorturl ? { mode: template.shorturl.mode, url: template.shorturl.url } : { mode: 'none', url: '' }
  }
}
