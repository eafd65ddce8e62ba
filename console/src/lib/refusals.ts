import type { Schemas } from './api-types.ts'
import { SENTENCES } from './french-sentences.ts'
import { readLanguage } from './language.ts'

/*
 * The service refuses in English. French readers get a sentence by the code of the refusal and, for each field, by the sentences
 * of french-sentences.ts. A sentence that is not among them stays English, which is better than none.
 */

type Code = Schemas['Error']['code'] | 'unreachable'

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

export function sentenceOf({ code, error, details = [] }: RefusalAnswer): string {
  if (readLanguage() === 'en') return error
  const [first] = details
  if (first && 'missing' in first) {
    const { required, remaining, missing } = first
    return `Il faut ${number(required)} crédits ; le solde est de ${number(remaining)}. Il en manque ${number(missing)}.`
  }
  if (first && 'path' in first && code === 'invalid_input') {
    return `La demande n’est pas valide : ${nameOf(first.path)} ${inFrench(first.message)}.`
  }
  const french = inFrench(error)
  return french === error ? (FRENCH[code] ?? error) : french
}

/** A sentence of the service, such as a warning, in the language of the reader. */
export function inLanguage(sentence: string): string {
  return readLanguage() === 'en' ? sentence : inFrench(sentence)
}

/** The problems of the fields, in the language of the reader. */
export function problemsOf({ details = [] }: RefusalAnswer): FieldProblem[] {
  const isEnglish = readLanguage() === 'en'
  return details.flatMap((detail) => {
    if (!('path' in detail)) return []
    return [isEnglish ? detail : { path: detail.path, message: inFrench(detail.message) }]
  })
}

const FRENCH: Record<Code, string> = {
  invalid_input: 'La demande n’est pas valide.',
  no_price: 'La grille tarifaire de ce compte n’a pas de prix pour ces pays.',
  unauthorized: 'L’identification est refusée : l’e-mail ou le mot de passe est faux, ou la session est terminée.',
  second_factor_required: 'Un second facteur est nécessaire : un code ou une clé d’accès.',
  insufficient_credits: 'Il n’y a pas assez de crédits.',
  forbidden: 'Ce compte n’a pas le droit de faire cela.',
  account_suspended: 'Le compte est suspendu ou fermé.',
  sender_not_allowed: 'Ce compte ne peut pas utiliser cet expéditeur.',
  not_found: 'Cela n’existe pas, ou a été supprimé.',
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
}

const NAMES: Record<string, string> = {
  '': 'le contenu',
  content: 'le texte',
  sender: 'l’expéditeur',
  recipients: 'la liste des numéros',
  contacts: 'la liste des destinataires',
  contactlist: 'la liste de contacts',
  scheduleAt: 'la date de départ',
  file: 'le fichier',
  name: 'le nom',
  'shorturl.url': 'l’adresse du lien',
  'fallback.content': 'le SMS de repli',
  'fallback.sender': 'l’expéditeur du SMS',
  'settings.sender': 'l’expéditeur du compte',
  model_id: 'le modèle choisi',
  'data.text': 'le texte',
  data: 'la carte',
  password: 'le mot de passe',
  current_password: 'le mot de passe actuel',
  email: 'l’e-mail',
  price: 'le prix',
  currency: 'la devise',
  number: 'le numéro',
  recipient: 'le numéro',
  tel: 'le numéro'
}

const nameOf = (path: string) => NAMES[path] ?? `« ${path} »`

function inFrench(message: string): string {
  const [, line, rest] = /^line (\d+): (.+)$/.exec(message) ?? []
  if (line !== undefined && rest !== undefined) return `ligne ${line} : ${inFrench(rest)}`
  const [, sender, problem] = /^The sender (\S+) (must .+)\.$/.exec(message) ?? []
  if (sender !== undefined && problem !== undefined) return `L’expéditeur ${sender} ${inFrench(problem)}.`
  return known(message) ?? message
}

function known(message: string): string | undefined {
  const found = SENTENCES.find(([pattern]) => pattern.test(message))
  return found && message.replace(found[0], found[1])
}

const number = (value: number) => new Intl.NumberFormat('fr').format(value)
