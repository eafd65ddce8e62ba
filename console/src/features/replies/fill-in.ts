import type { Schemas } from '../../lib/api.ts'

type Contact = Schemas['ContactsWithId']

/** The text with the fields of a person in place of its variables. The newest contact that has a field counts. */
export function fillIn(text: string, contacts: readonly Contact[]): string {
  return text.replaceAll(/#(champ_[\p{L}\p{N}_]+)#/giu, (_place, name: string) => {
    const field = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase() as keyof Contact
    return contacts.reduce((value, contact) => String(contact[field] ?? '') || value, '')
  })
}
