import { FIELDS } from './french/fields.ts'
import { FILES } from './french/files.ts'
import { REFUSALS } from './french/refusals.ts'
import { type Sentence, translate } from './french/sentence.ts'
import { TIMELINE } from './french/timeline.ts'
import { typeset } from './french/typography.ts'
import { WEBHOOKS } from './french/webhooks.ts'

/*
 * The service writes English alone. French readers get the sentences of the lists in `french/`: the first that fits counts. A
 * sentence that is in none of them stays English, which is better than none; `test/console/sentences.test.ts` looks for such
 * sentences in the sources of the service. Only French readers load this file.
 */

/** A sentence of the service in French; undefined if its French is not known. */
export function inFrench(sentence: string): string | undefined {
  return translate(NESTED, sentence) ?? translate(SENTENCES, sentence) ?? translate(WITH_NUMBER, sentence)
}

/** The problem of one field of a request. */
export function problemInFrench(path: string, message: string): string | undefined {
  return whole(message, (problem) => `La demande n’est pas valide : ${nameOf(path)} ${problem}.`)
}

const SENTENCES: readonly Sentence[] = [...WEBHOOKS, ...TIMELINE, ...FILES, ...REFUSALS, ...FIELDS]

/** For what may be the words of a carrier. */
const orSame = (sentence: string) => inFrench(sentence) ?? sentence

/** A sentence around another: half a sentence in French would be worse than one in English. */
function whole(inner: string, tell: (french: string) => string): string | undefined {
  const french = inFrench(inner)
  return french === undefined ? undefined : typeset(tell(french))
}

/** Sentences that hold another one. */
const NESTED: readonly Sentence[] = [
  [/^line (\d+): (.+)$/, (line = '', rest = '') => whole(rest, (french) => `ligne ${line} : ${french}`)],
  [
    /^(.+) \(part (\d+) of (\d+)\)$/,
    (rest = '', part = '', parts = '') => `${orSame(rest)} (partie ${part} sur ${parts})`
  ],
  [
    /^(.+) There were too few SMS credits to fall back\.$/,
    (reason = '') => `${orSame(reason)} Il n’y avait pas assez de crédits SMS pour l’envoyer en SMS.`
  ],
  [
    /^No delivery report came in time\. It could not be revoked \((.+)\), and has expired by itself\.$/,
    (reason = '') => `Aucun accusé à temps. Le RCS n’a pas pu être retiré (${orSame(reason)}), et a expiré de lui-même.`
  ],
  [/^The URL (must .+)\.$/, (problem = '') => whole(problem, (french) => `L’URL ${french}.`)],
  [
    /^The segment “(.+)” must be changed first: (\S+) (.+)\.$/,
    (name = '', path = '', problem = '') =>
      whole(problem, (french) => `Modifiez d’abord le segment « ${name} » : ${nameOf(path)} ${french}.`)
  ],
  [
    /^The request is not valid: (the body|\S+) (.+)\.$/,
    (path = '', problem = '') => problemInFrench(path === 'the body' ? '' : path, problem)
  ],
  [/^names a template that (.+)$/, (problem = '') => whole(problem, (french) => `désigne un modèle qui ${french}`)],
  [
    /^names a template whose sender (.+)$/,
    (problem = '') => whole(problem, (french) => `désigne un modèle dont l’expéditeur ${french}`)
  ],
  [
    /^The sender (\S+) ((?:must|holds) .+|is (?:a|reserved|declared by) .+)\.$/,
    (name = '', problem = '') => whole(problem, (french) => `L’expéditeur ${name} ${french}.`)
  ]
]

/** A problem that only one recipient has. */
const WITH_NUMBER: readonly Sentence[] = [
  [
    /^(.+) for (\+?\d+)((?:, such as .+)?)$/,
    (problem = '', number = '', example = '') => whole(problem + example, (french) => `${french} pour ${number}`)
  ]
]

/** The name of a field: of its whole path, or of the last part of it. */
function nameOf(path: string): string {
  return NAMES[path] ?? NAMES[path.replace(/^.*[.\]]/, '')] ?? `« ${path} »`
}

const NAMES: Record<string, string> = {
  '': 'le contenu',
  content: 'le texte',
  sender: 'l’expéditeur',
  recipients: 'la liste des numéros',
  contacts: 'la liste des destinataires',
  contactlist: 'la liste de contacts',
  segments: 'le segment',
  scheduleAt: 'la date d’envoi',
  schedule: 'la planification',
  deadline: 'l’échéance',
  spread: 'l’étalement',
  file: 'le fichier',
  name: 'le nom',
  label: 'le nom de la variante',
  url: 'l’URL',
  'shorturl.url': 'l’adresse du lien',
  shorturl: 'le lien suivi',
  'fallback.content': 'le SMS de repli',
  'fallback.sender': 'l’expéditeur du SMS',
  'settings.sender': 'l’expéditeur du compte',
  model_id: 'le modèle choisi',
  'data.text': 'le texte',
  data: 'la carte',
  password: 'le mot de passe',
  current_password: 'le mot de passe actuel',
  code: 'le code',
  email: 'l’e-mail',
  price: 'le prix',
  currency: 'la devise',
  number: 'le numéro',
  recipient: 'le numéro',
  tel: 'le numéro',
  expires_at: 'la date de fin',
  reason: 'le motif',
  country: 'le pays',
  time_zone: 'le fuseau horaire',
  keyword: 'le mot-clé',
  value: 'la valeur',
  field: 'le champ',
  list_id: 'la liste de contacts',
  message_id: 'le message',
  since: 'la date',
  logo: 'le logo',
  from: 'le début de la période',
  to: 'la fin de la période'
}
