import type { Schemas } from './api-types.ts'
import { typeset, typesetWords } from './french/typography.ts'
import { counted, readLanguage, useLanguage } from './language.ts'
import { createStore } from './store.ts'

/*
 * The service refuses in English. French readers get a sentence by the code of the refusal and, for what french-sentences.ts
 * knows, the sentence itself. That file is large, and English readers never load it.
 */

type Code = Schemas['Error']['code'] | 'unreachable'
type French = typeof import('./french-sentences.ts')

export interface RefusalAnswer {
  status: number
  error: string
  code: Code
  details?: Schemas['Error']['details']
  request_id?: string
}

/** A problem of one field of the request. */
export interface FieldProblem {
  path: string
  message: string
}

const french = createStore<French | undefined>(undefined)
let loading: Promise<void> | undefined

/** Waits until sentences can be told in the language of the reader. Without the file, they stay English. */
export async function loadSentences(): Promise<void> {
  if (readLanguage() === 'en' || french.read()) return
  loading ??= import('./french-sentences.ts').then(french.change, () => {
    loading = undefined
  })
  await loading
}

/** After `loadSentences()`. */
export function sentenceOf({ code, error, details = [] }: RefusalAnswer): string {
  if (readLanguage() === 'en') return error
  const [first] = details
  if (first && 'missing' in first) {
    const { required, remaining, missing } = first
    const credits = counted('fr', required, 'crédit', 'crédits')
    return typeset(`Il faut ${credits} ; le solde est de ${number(remaining)}. Il en manque ${number(missing)}.`)
  }
  if (first && 'path' in first && code === 'invalid_input') {
    return french.read()?.problemInFrench(first.path, first.message) ?? error
  }
  return french.read()?.inFrench(error) ?? FRENCH[code] ?? error
}

/** Tells sentences of the service, such as a warning, in the language of the reader. */
export function useSentences(): (sentence: string) => string {
  const language = useLanguage()
  const known = french.use()
  return (sentence) => {
    if (language === 'en' || sentence === '') return sentence
    // The first sentence loads the others; the components that use them are then drawn again.
    if (!known) void loadSentences()
    return known?.inFrench(sentence) ?? sentence
  }
}

/** The problems of the fields, in the language of the reader. After `loadSentences()`. */
export function problemsOf({ details = [] }: RefusalAnswer): FieldProblem[] {
  const known = readLanguage() === 'en' ? undefined : french.read()
  return details.flatMap((detail) => {
    if (!('path' in detail)) return []
    return [{ path: detail.path, message: known?.inFrench(detail.message) ?? detail.message }]
  })
}

const FRENCH: Record<Code, string> = typesetWords({
  invalid_input: 'La demande n’est pas valide.',
  no_price: 'La grille tarifaire de ce compte n’a pas de prix pour ces pays.',
  unauthorized: 'L’identification est refusée : l’e-mail ou le mot de passe est faux, ou la session est terminée.',
  second_factor_required: 'Un second facteur est nécessaire : un code ou une clé d’accès.',
  insufficient_credits: 'Il n’y a pas assez de crédits.',
  forbidden: 'Ce compte n’a pas le droit de faire cela.',
  account_suspended: 'Le compte est suspendu ou fermé.',
  sender_not_allowed: 'Ce compte ne peut pas utiliser cet expéditeur.',
  not_found: 'Cela n’existe pas, ou a été supprimé.',
  not_acceptable: 'La réponse n’existe pas dans ce format.',
  external_id_already_processed: 'Cette référence a déjà servi à un envoi.',
  state_conflict: 'Cela n’est plus possible : c’est déjà fait, ou les choses ont changé entre-temps.',
  payload_too_large: 'C’est trop volumineux pour être accepté.',
  unsupported_media_type: 'Ce format n’est pas accepté.',
  rate_limited: 'Trop de demandes à la fois. Patientez un instant, puis réessayez.',
  limit_reached: 'Une limite du compte est atteinte.',
  internal:
    'Une erreur s’est produite de notre côté. Réessayez ; l’exploitant la retrouve par le numéro de la requête.',
  unavailable: 'Le service n’est pas disponible pour l’instant. Réessayez dans un moment.',
  unreachable: 'Le service est injoignable. Vérifiez votre connexion, puis réessayez.'
})

const number = (value: number) => new Intl.NumberFormat('fr').format(value)
