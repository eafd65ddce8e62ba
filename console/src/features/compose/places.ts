import type { Language } from '../../lib/language.ts'

export interface Place {
  place: string
  label: string
}

/** As many as a contact has. */
const CUSTOM_FIELDS = 10

/** The variables of every message: the fields of contacts, the opt-out mention, the opt-out link and the tracked link. */
export const placesOf: Record<Language, Place[]> = {
  en: places({
    STOP_XXX: 'Opt-out mention',
    STOP_URL: 'Opt-out link',
    SHORTURL: 'Tracked link',
    champ_prenom: 'First name',
    champ_nom: 'Last name',
    champ_ville: 'City',
    champ_cp: 'Postal code',
    champ_adresse: 'Address',
    champ_mail: 'Email',
    champ_date: 'Date',
    ...custom('Custom')
  }),
  fr: places({
    STOP_XXX: 'Mention STOP',
    STOP_URL: 'Lien de désinscription',
    SHORTURL: 'Lien suivi',
    champ_prenom: 'Prénom',
    champ_nom: 'Nom',
    champ_ville: 'Ville',
    champ_cp: 'Code postal',
    champ_adresse: 'Adresse',
    champ_mail: 'E-mail',
    champ_date: 'Date',
    ...custom('Champ libre')
  })
}

function custom(word: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: CUSTOM_FIELDS }, (_, index) => [`champ_perso${index + 1}`, `${word} ${index + 1}`])
  )
}

function places(labels: Record<string, string>): Place[] {
  return Object.entries(labels).map(([name, label]) => ({ place: `#${name}#`, label }))
}
