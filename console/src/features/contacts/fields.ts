import type { Schemas } from '../../lib/api.ts'
import { defineWords } from '../../lib/language.ts'

/** The fields of a contact, as the API calls them. */
export type ContactField = NonNullable<Schemas['ContactsFilePreview']['columns'][number]['field']>

export const PERSON_FIELDS = [
  'tel',
  'champ_prenom',
  'champ_nom',
  'champ_mail',
  'champ_adresse',
  'champ_cp',
  'champ_ville',
  'champ_date'
] as const satisfies ContactField[]

export const CUSTOM_FIELDS = [
  'champ_perso1',
  'champ_perso2',
  'champ_perso3',
  'champ_perso4',
  'champ_perso5',
  'champ_perso6',
  'champ_perso7',
  'champ_perso8',
  'champ_perso9',
  'champ_perso10'
] as const satisfies ContactField[]

const custom = (word: string) =>
  Object.fromEntries(CUSTOM_FIELDS.map((field, index) => [field, `${word} ${index + 1}`])) as Record<
    (typeof CUSTOM_FIELDS)[number],
    string
  >

export const fieldWords = defineWords<Record<ContactField, string>>(
  {
    tel: 'Phone number',
    champ_prenom: 'First name',
    champ_nom: 'Last name',
    champ_mail: 'Email',
    champ_adresse: 'Address',
    champ_cp: 'Postal code',
    champ_ville: 'City',
    champ_date: 'Date',
    ...custom('Custom')
  },
  {
    tel: 'Numéro de téléphone',
    champ_prenom: 'Prénom',
    champ_nom: 'Nom',
    champ_mail: 'E-mail',
    champ_adresse: 'Adresse',
    champ_cp: 'Code postal',
    champ_ville: 'Ville',
    champ_date: 'Date',
    ...custom('Perso')
  }
)
