import { Refusal } from '../errors.ts'
import type { Operation } from './operation.ts'

/**
 * Refuses a request whose `Accept` names none of the forms of the answer. Only of an operation that has several, and only if the
 * header is understood: programs that never asked for a form go on without one.
 */
export function refuseOtherForms({ row, pdf }: Pick<Operation, 'row' | 'pdf'>, accept: string | undefined): void {
  if (!row && !pdf) return
  const forms = ['application/json', ...(row ? ['text/csv'] : []), ...(pdf ? ['application/pdf'] : [])]
  const ranges = (accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  if (!ranges.every((range) => RANGE.test(range)) || ranges.some((range) => forms.some(isWithin(range)))) return
  const sentence = `This answer comes as ${forms.join(' or ')}; Accept names none of them.`
  throw new Refusal(406, 'not_acceptable', sentence)
}

const RANGE = /^[^\s/]+\/[^\s/]+$/

/** `*` alone, `text/*`, or the form itself; a form of JSON too, such as `application/problem+json`. */
function isWithin(range: string): (form: string) => boolean {
  const [type, subtype] = range.split('/') as [string, string]
  return (form) => {
    if (type === '*') return true
    if (form === 'application/json' && (subtype === 'json' || subtype.endsWith('+json'))) return true
    return subtype === '*' ? form.startsWith(`${type}/`) : form === range
  }
}
