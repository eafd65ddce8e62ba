import { Refusal } from '../errors.ts'
import type { Operation } from './operation.ts'

/** A form of an answer that a program has to ask for by name. Without such a request the answer is JSON. */
export type NamedForm = 'text/csv' | 'application/pdf'

/**
 * The form that `Accept` asks for by name, if the answer has it and JSON is not preferred. Names of media types have no
 * case, and `q=0` means that a type is not wanted (RFC 9110, 8.3.1 and 12.4.2).
 */
export function namedFormOf(operation: Forms, accept: string | undefined): NamedForm | undefined {
  if (!accept) return undefined
  const ranges = accept.split(',').map(toRange)
  const qualityOf = (isMeant: (type: string) => boolean) =>
    Math.max(0, ...ranges.filter(({ type }) => isMeant(type)).map(({ quality }) => quality))
  let wanted: NamedForm | undefined
  let best = qualityOf(isJson)
  for (const form of namedForms(operation)) {
    const quality = qualityOf((type) => type === form)
    if (quality === 0 || quality < best) continue
    wanted = form
    best = quality
  }
  return wanted
}

type Forms = Pick<Operation, 'row' | 'pdf'>

function namedForms({ row, pdf }: Forms): NamedForm[] {
  return [...(row ? (['text/csv'] as const) : []), ...(pdf ? (['application/pdf'] as const) : [])]
}

function toRange(range: string): { type: string; quality: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  return { type, quality: Number.isNaN(quality) ? 1 : quality }
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/**
 * Refuses a request whose `Accept` names none of the forms of the answer. Only of an operation that has several, and only if the
 * header is understood: programs that never asked for a form go on without one. Extracts that clients of the field know
 * always have an answer: those clients name types of all kinds, and know no 406.
 */
export function refuseOtherForms(operation: Pick<Operation, 'row' | 'pdf' | 'tag'>, accept: string | undefined): void {
  if (!mayRefuseForms(operation)) return
  const forms = ['application/json', ...namedForms(operation)]
  const ranges = (accept ?? '').split(',').map((range) => toRange(range).type)
  if (!ranges.every((range) => RANGE.test(range)) || ranges.some((range) => forms.some(isWithin(range)))) return
  const sentence = `This answer comes as ${forms.join(' or ')}; Accept names none of them.`
  throw new Refusal(406, 'not_acceptable', sentence)
}

export function mayRefuseForms({ row, pdf, tag }: Pick<Operation, 'row' | 'pdf' | 'tag'>): boolean {
  return tag === 'Beyond' && (row !== undefined || pdf !== undefined)
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
