import Type, { type Static } from 'typebox'
import type { Contact } from './contact.ts'

/** A number with its name. */
export const ContactName = Type.Object({
  recipient: Type.String({ description: 'The number, in E.164.' }),
  champ_nom: Type.String(),
  champ_prenom: Type.String()
})

export type NamedPhone = Pick<Contact, 'phone' | 'lastName' | 'firstName'>

export function toContactName({ phone, lastName, firstName }: NamedPhone): Static<typeof ContactName> {
  return { recipient: phone, champ_nom: lastName ?? '', champ_prenom: firstName ?? '' }
}

export const contactNameExample: Static<typeof ContactName> = {
  recipient: '+33639980001',
  champ_nom: 'Martin',
  champ_prenom: 'Léa'
}
