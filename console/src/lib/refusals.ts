import type { Schemas } from './api-types.ts'
import { readLanguage } from './language.ts'

/*
 * The service refuses in English. French readers get a sentence by the code of the refusal and, for each field, by the sentences
 * below. A sentence that is not among them stays English, which is better than none.
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
  number: 'le numéro',
  recipient: 'le numéro',
  tel: 'le numéro'
}

const nameOf = (path: string) => NAMES[path] ?? `« ${path} »`

const SENTENCES: [RegExp, string][] = [
  [/^is missing.*$/, 'manque'],
  [/^must not be empty$/, 'ne doit pas être vide'],
  [/^must not be empty for (.+)$/, 'ne doit pas être vide pour $1'],
  [/^must have (\d+) to (\d+) characters$/, 'doit avoir de $1 à $2 caractères'],
  [/^must have at least (\d+) characters$/, 'doit avoir au moins $1 caractères'],
  [/^must have at most (\d+) characters$/, 'doit avoir au plus $1 caractères'],
  [/^must have at least (\d+) cards$/, 'doit avoir au moins $1 cartes'],
  [/^must have at most (\d+) cards$/, 'doit avoir au plus $1 cartes'],
  [/^must have at most (\d+) choices$/, 'doit avoir au plus $1 choix'],
  [/^must have at most (\d+) KB as a whole$/, 'doit peser au plus $1 ko en tout'],
  [/^must have at least one of title, description.*$/, 'doit avoir un titre, une description ou une image'],
  [/^must be at least (.+)$/, 'doit être au moins $1'],
  [/^must be at most a year from now$/, 'doit être dans un an au plus'],
  [/^must be at most (\d+) for one message$/, 'doit compter au plus $1 destinataires par message'],
  [/^must be at most (\S+)$/, 'doit être au plus $1'],
  [/^must be an email address.*$/, 'doit être une adresse e-mail'],
  [/^must be a web address.*$/, 'doit être une adresse web, comme https://example.com/page'],
  [/^must start with https:\/\/ or http:\/\/$/, 'doit commencer par https:// ou http://'],
  [/^must not hold a user or a password$/, 'ne doit contenir ni utilisateur ni mot de passe'],
  [/^must not hold #SHORTURL# or #STOP_XXX#$/, 'ne doit contenir ni #SHORTURL# ni #STOP_XXX#'],
  [
    /^must not name variables: .*$/,
    'ne doit pas contenir de variables : un lien partagé mène tout le monde au même endroit'
  ],
  [
    /^(?:of the account )?must be 3 to 11 letters and digits, such as (\S+)$/,
    'doit avoir de 3 à 11 lettres sans accent et chiffres, comme $1'
  ],
  [
    /^(?:of the account )?must be 3 to 11 letters, digits, spaces.*$/,
    'doit avoir de 3 à 11 lettres sans accent, chiffres, espaces, points ou tirets'
  ],
  [
    /^(?:of the account )?must be a number of this service, or .*$/,
    'doit être un numéro de ce service, ou avoir de 3 à 11 lettres sans accent et chiffres, dont une lettre'
  ],
  [/^names a template whose sender .*$/, 'désigne un modèle dont l’expéditeur n’est pas autorisé'],
  [
    /^(?:of the account )?must not be a French mobile number: .*$/,
    'ne doit pas être un numéro mobile français : les opérateurs les bloquent'
  ],
  [/^must not contain control characters$/, 'ne doit pas contenir de caractères de contrôle'],
  [
    /^has no number to send to: (\d+) invalid, (\d+) opted out, (\d+) without a consent, (\d+) that had .*$/,
    'ne compte aucun numéro à qui écrire : $1 invalides, $2 désinscrits, $3 sans consentement, $4 assez sollicités par marketing'
  ],
  [
    /^has no number to send to: (\d+) invalid, (\d+) opted out, (\d+) without a consent.*$/,
    'ne compte aucun numéro à qui écrire : $1 invalides, $2 désinscrits, $3 sans consentement'
  ],
  [
    /^has no number to send to: (\d+) invalid, (\d+) opted out, (\d+) that had as much marketing.*$/,
    'ne compte aucun numéro à qui écrire : $1 invalides, $2 désinscrits, $3 assez sollicités par marketing'
  ],
  [
    /^has no number to send to: (\d+) invalid, (\d+) opted out.*$/,
    'ne compte aucun numéro à qui écrire : $1 invalides, $2 désinscrits'
  ],
  [/^has no phone number, such as .*$/, 'n’a aucun numéro de téléphone, comme +33639980013'],
  [/^must have a contact: the contact lists are empty$/, 'doit avoir un contact : les listes de contacts sont vides'],
  [
    /^can’t be sent to: this service has no carrier for (SMS|RCS)\..*$/,
    'est hors de portée : ce service n’a pas d’opérateur pour les $1'
  ],
  [/^must be after 08:00 and at most 21:30.*$/, 'doit être après 08:00 et au plus 21:30'],
  [/^has (\d+) segments, and (\d+) is the most$/, 'fait $1 segments, et $2 est le maximum'],
  [/^has (\d+) segments for (\S+), and (\d+) is the most$/, 'fait $1 segments pour $2, et $3 est le maximum'],
  [/^has #SHORTURL#, and no shorturl is given$/, 'contient #SHORTURL#, sans que l’adresse du lien suivi soit donnée'],
  [/^has no column of phone numbers$/, 'n’a pas de colonne de numéros de téléphone'],
  [/^has no column (.+)$/, 'n’a pas de colonne $1'],
  [/^has more than (\d+) columns$/, 'a plus de $1 colonnes'],
  [/^uses (#.+#), which no recipient defines$/, 'utilise $1, qu’aucun destinataire ne définit'],
  [/^names (\d+) variables, and (\d+) is the most$/, 'utilise $1 variables, et $2 est le maximum'],
  [/^must be a phone number.*$/, 'doit être un numéro de téléphone, comme +33639980013'],
  [/^must be a country code.*$/, 'doit être un code de pays, comme FR'],
  [/^must be a time zone.*$/, 'doit être un fuseau horaire, comme Europe/Paris'],
  [/^is not a column of this file$/, 'n’est pas une colonne de ce fichier'],
  [/^is empty$/, 'est vide'],
  [/^is wrong$/, 'est faux'],
  [/^is wrong, was used before, or is too old$/, 'est faux, a déjà servi ou est trop ancien'],
  [/^is wrong or too old: .*$/, 'est faux ou trop ancien : saisissez les six chiffres affichés maintenant'],
  [/^does not answer the options .*$/, 'ne répond pas à la dernière demande de cette session'],
  [/^is too long$/, 'est trop long'],
  [/^is a PDF; .*$/, 'est un PDF ; envoyez un CSV, TXT ou XLSX'],
  [
    /^is an old \.xls workbook.*$/,
    'est un ancien classeur .xls, ou protégé ; enregistrez-le en .xlsx sans mot de passe, ou en CSV'
  ],
  [/^is a damaged workbook.*$/, 'est un classeur XLSX abîmé'],
  [
    /^is no workbook, though its name ends in .*$/,
    'n’est pas un classeur, bien que son nom finisse par .xlsx ; enregistrez-le de nouveau en .xlsx, ou nommez-le .csv'
  ],
  [/^is no workbook.*$/, 'n’est pas un classeur XLSX'],
  [
    /^Too many failed log-ins with this email; wait (\d+) s\.$/,
    'Trop d’échecs de connexion avec cet e-mail : réessayez dans $1 s.'
  ],
  [
    /^Too many failed log-ins with this email; wait (\d+) minutes\.$/,
    'Trop d’échecs de connexion avec cet e-mail : réessayez dans $1 minutes.'
  ],
  [
    /^Too many failed log-ins from this address; wait (\d+) s\.$/,
    'Trop d’échecs de connexion depuis cette adresse : réessayez dans $1 s.'
  ],
  [
    /^Too many wrong codes; wait (\d+) s, .*$/,
    'Trop de codes faux : réessayez dans $1 s, ou prenez une clé d’accès ou un code de secours.'
  ],
  [
    /^The sender (\S+) is not approved for this account: .*$/,
    'L’expéditeur $1 n’est pas accepté pour ce compte : déclarez-le sous Expéditeurs.'
  ],
  [
    /^The sender (\S+) is not approved for (\w+), only for (.+)\.$/,
    'L’expéditeur $1 n’est pas accepté pour $2, seulement pour $3.'
  ],
  [
    /^The sender (\S+) is approved for marketing messages only, .*$/,
    'L’expéditeur $1 n’est accepté que pour les messages marketing, et celui-ci est transactionnel.'
  ],
  [
    /^The sender (\S+) is approved for transactional messages only, .*$/,
    'L’expéditeur $1 n’est accepté que pour les messages transactionnels, et celui-ci est marketing.'
  ],
  [/^The sender (\S+) is disabled: (.*)$/, 'L’expéditeur $1 est désactivé : $2'],
  [
    /^The number (\S+) is granted to other accounts: .*$/,
    'Le numéro $1 est attribué à d’autres comptes : demandez-le à l’exploitant, ou prenez un autre expéditeur.'
  ],
  [
    /^must be one word of 1 to (\d+) letters and digits.*$/,
    'doit être un seul mot de 1 à $1 lettres et chiffres, comme HORAIRES'
  ],
  [/^must not be (\S+), which has a meaning of its own$/, 'ne doit pas être $1, qui a un sens à lui'],
  [/^must have at most (\d+) segments$/, 'doit avoir au plus $1 segments'],
  [
    /^must name fields of contacts, such as #prenom#, and not (#.+#)$/,
    'doit citer des champs de contacts, comme #prenom#, et non $1'
  ],
  [
    /^must be a number or an agent that people write to.*$/,
    'doit être un numéro ou un agent à qui l’on écrit, comme 36111'
  ],
  [/^The rule is off\.$/, 'La réponse était arrêtée.'],
  [/^The reply is more than an hour old\.$/, 'Le message reçu date de plus d’une heure.'],
  [/^The number got this answer less than (\d+) s before\.$/, 'Ce numéro a reçu cette réponse moins de $1 s avant.'],
  [/^The number got this answer (\d+) times within a day\.$/, 'Ce numéro a reçu cette réponse $1 fois en un jour.'],
  [/^The account is suspended or closed\.$/, 'Le compte est suspendu ou fermé.'],
  [
    /^must be a number: networks of (\w+) show no names$/,
    'doit être un numéro : les réseaux de $1 n’affichent pas de noms'
  ],
  [/^must be 6 letters in (\w+), such as (\S+)$/, 'doit avoir 6 lettres pour $1, comme $2'],
  [
    /^must be 3 to 11 letters and digits in (\w+), such as (\S+)$/,
    'doit avoir de 3 à 11 lettres sans accent et chiffres pour $1, comme $2'
  ],
  [
    /^must not be (\S+) for a marketing message: short codes with (\d+) are for transactional ones.*$/,
    'ne doit pas être $1 pour un message marketing : les numéros courts en $2 sont pour les messages transactionnels'
  ],
  [
    /^must not be (\S+) for a transactional message: short codes with (\d+) are for marketing ones.*$/,
    'ne doit pas être $1 pour un message transactionnel : les numéros courts en $2 sont pour le marketing'
  ]
]

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
