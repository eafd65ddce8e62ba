import { leftInFrench } from './left-out.ts'
import type { Sentence } from './sentence.ts'

/** What is wrong with a field: the name of the field comes before it. */
export const FIELDS: readonly Sentence[] = [
  [/^is (\d+), and the message takes (\d+) \S+ credits?$/, 'est de $1, et le message en coûte $2'],
  [/^must not be empty$/, 'ne doit pas être vide'],
  [/^must have (\d+) to (\d+) characters$/, 'doit avoir de $1 à $2 caractères'],
  [/^must have at least (\d+) characters$/, 'doit avoir au moins $1 caractères'],
  [/^must have at most (\d+) characters$/, 'doit avoir au plus $1 caractères'],
  [/^must have at least (\d+) cards$/, 'doit avoir au moins $1 cartes'],
  [/^must have at most (\d+) cards$/, 'doit avoir au plus $1 cartes'],
  [/^must have at most (\d+) KB as a whole$/, 'doit peser au plus $1 ko en tout'],
  [/^must have at least one of title, description.*$/, 'doit avoir un titre, une description ou une image'],
  [/^must be at most a year from now$/, 'doit être dans un an au plus'],
  [/^must be at most (\d+) for one message$/, 'doit compter au plus $1 destinataires par message'],
  [/^must be an email address.*$/, 'doit être une adresse e-mail'],
  [/^must be a web address.*$/, 'doit être une adresse web, comme https://example.com/page'],
  [/^must start with https:\/\/ or http:\/\/$/, 'doit commencer par https:// ou http://'],
  [/^must not hold a user or a password$/, 'ne doit contenir ni utilisateur ni mot de passe'],
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
  [
    /^(?:of the account )?must not be a French mobile number: .*$/,
    'ne doit pas être un numéro mobile français : les opérateurs les bloquent'
  ],
  [/^must not contain control characters$/, 'ne doit pas contenir de caractères de contrôle'],
  [/^has no phone number, such as .*$/, 'n’a aucun numéro de téléphone, comme +33639980013'],
  [/^must have a contact: the contact lists are empty$/, 'doit avoir un contact : les listes de contacts sont vides'],
  [
    /^can’t be sent to: this service has no carrier for (SMS|RCS)\..*$/,
    'est hors de portée : ce service n’a pas d’opérateur pour les $1'
  ],
  [/^must be after (\S+) and at most ([\d:]+), .*$/, 'doit être après $1 et au plus $2'],
  [/^has (\d+) segments, and (\d+) is the most$/, 'fait $1 segments, et $2 est le maximum'],
  [/^has (\d+) segments for (\S+), and (\d+) is the most$/, 'fait $1 segments pour $2, et $3 est le maximum'],
  [/^has (\S+), and no shorturl is given$/, 'contient $1, sans que l’adresse du lien suivi soit donnée'],
  [/^uses (#.+#), which no recipient defines$/, 'utilise $1, qu’aucun destinataire ne définit'],
  [/^names (\d+) variables, and (\d+) is the most$/, 'utilise $1 variables, et $2 est le maximum'],
  [/^must be a country code.*$/, 'doit être un code de pays, comme FR'],
  [/^must be a time zone.*$/, 'doit être un fuseau horaire, comme Europe/Paris'],
  [/^is wrong$/, 'est faux'],
  [/^is wrong, was used before, or is too old$/, 'est faux, a déjà servi ou est trop ancien'],
  [/^is wrong or too old: .*$/, 'est faux ou trop ancien : saisissez les six chiffres affichés maintenant'],
  [/^does not answer the options .*$/, 'ne répond pas à la dernière demande de cette session'],
  [/^is too long$/, 'est trop long'],
  [
    /^must be one word of 1 to (\d+) letters and digits.*$/,
    'doit être un seul mot de 1 à $1 lettres et chiffres, comme HORAIRES'
  ],
  [/^must not be (\S+), which has a meaning of its own$/, 'ne doit pas être $1, qui a un sens à lui'],
  [/^must have at most (\d+) segments$/, 'doit avoir au plus $1 segments'],
  [
    /^must name fields of contacts, such as (#\w+#), and not (#.+#)$/,
    'doit citer des champs de contacts, comme $1, et non $2'
  ],
  [
    /^must be a number or an agent that people write to.*$/,
    'doit être un numéro ou un agent auquel on écrit, comme 36111'
  ],
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
  ],
  [/^has (\d+) numbers without a price$/, 'compte $1 numéros sans prix'],
  [/^is missing: give contactlist, segments or both$/, 'manque : choisissez une liste de contacts ou un segment'],
  [
    /^is missing: say after how many minutes to choose.*$/,
    'manque : indiquez après combien de minutes choisir, comme 120'
  ],
  [/^is missing: clicks are counted on a tracked link$/, 'manque : les clics se comptent sur un lien suivi'],
  [/^is missing: it must be (?:one of )?(.+)$/, 'manque : choisissez parmi $1'],
  [/^is missing: say why, .*$/, 'manque : donnez le motif'],
  [
    /^is missing: somebody has this email here.*$/,
    'manque : cet e-mail a déjà un compte ici ; connectez-vous une fois avec lui'
  ],
  [/^is missing: give sms or rcs$/, 'manque : donnez un SMS ou un RCS'],
  [/^is missing: give contacts, contactlist or both$/, 'manque : donnez des numéros ou une liste de contacts'],
  [/^is missing: add a part named file .*$/, 'manque : joignez un fichier'],
  [/^is missing: scheduletime needs a date .*$/, 'manque : une heure demande une date, comme 2026-12-24'],
  [/^is missing$/, 'manque'],
  [/^is empty$/, 'est vide'],
  [/^is empty for every recipient once .*$/, 'est vide pour chaque destinataire une fois ses variables remplacées'],
  [/^must not be empty for (.+)$/, 'ne doit pas être vide pour $1'],
  [
    /^must not be empty; for fields without a text .*$/,
    'ne doit pas être vide ; pour un champ sans texte, choisissez « est vide » ou « n’est pas vide »'
  ],
  [/^must not hold #SHORTURL#(?:, | or )#STOP_XXX#.*$/, 'ne doit contenir ni #SHORTURL#, ni #STOP_XXX#, ni #STOP_URL#'],
  [
    /^must not hold line (?:breaks|ends) or other control characters$/,
    'ne doit contenir ni saut de ligne ni caractère de contrôle'
  ],
  [/^must not contain the character U\+0000$/, 'ne doit pas contenir le caractère U+0000'],
  [/^must not contain half a character .*$/, 'ne doit pas contenir de moitié de caractère'],
  [/^must have at most (\d+) choices$/, 'doit avoir au plus $1 boutons'],
  [/^must have at least (\d+) items$/, 'doit avoir au moins $1 éléments'],
  [/^must have at most (\d+) items$/, 'doit avoir au plus $1 éléments'],
  [/^must have at most (\d+) rules in all$/, 'doit avoir au plus $1 règles en tout'],
  [
    /^must have at most (\d+) rules about lists and events in all$/,
    'doit avoir au plus $1 règles de listes et d’événements en tout'
  ],
  [/^must have five fields: .*$/, 'doit avoir cinq champs : minute, heure, jour du mois, mois, jour de la semaine'],
  [/^must have either per_hour or minutes, .*$/, 'doit donner un nombre par heure ou une durée'],
  [/^must have letters, such as (.+)$/, 'doit avoir des lettres, comme $1'],
  [/^must leave 5 minutes between two times$/, 'doit laisser 5 minutes entre deux envois'],
  [/^never comes$/, 'ne tombe jamais'],
  [/^can’t be read: .*$/, 'est illisible : cinq champs sont attendus, comme 0 9 * * 1'],
  [/^would take longer than (\d+) days; .*$/, 'prendrait plus de $1 jours ; envoyez davantage par heure'],
  [/^must be in the future$/, 'doit être dans le futur'],
  [/^must not be in the future$/, 'ne doit pas être dans le futur'],
  [/^must not be in the past: .*$/, 'ne doit pas être dans le passé : un message accepté garde son prix'],
  [/^must not be in the past$/, 'ne doit pas être dans le passé'],
  [/^must be a moment that exists$/, 'doit être une date qui existe'],
  [/^must be in a year from (\d+) to (\d+), in UTC$/, 'doit être une date des années $1 à $2, en UTC'],
  [/^is no moment$/, 'n’est pas une date'],
  [/^must be after the message begins to leave$/, 'doit être après le début de l’envoi'],
  [/^must be at most two years ahead$/, 'doit être dans deux ans au plus'],
  [/^must be a day, such as (\S+)$/, 'doit être une date, comme $1'],
  [/^must be a date such as (\S+)$/, 'doit être une date, comme $1'],
  [
    /^must be a date, or a date and time, in ISO 8601, such as (\S+)$/,
    'doit être une date, avec ou sans heure, comme $1'
  ],
  [/^must be a date and time in ISO 8601, such as (\S+)$/, 'doit être une date et une heure, comme $1'],
  [/^must be a time of day,? such as (\S+).*$/, 'doit être une heure, comme $1'],
  [/^must be a month, such as (\S+)$/, 'doit être un mois, comme $1'],
  [/^must not be after `to`$/, 'ne doit pas être après la fin de la période'],
  [/^must be within (\d+) days up to `to`$/, 'doit être dans les $1 jours avant la fin de la période'],
  [/^must be the name of a time zone, such as (\S+)$/, 'doit être un fuseau horaire, comme $1'],
  [/^must be a phone number.*$/, 'doit être un numéro de téléphone, comme +33639980013'],
  [/^must be two capital letters, such as (\S+)$/, 'doit être deux lettres majuscules, comme $1'],
  [/^must be a colour such as (\S+)$/, 'doit être une couleur, comme $1'],
  [/^must be a name, such as (.+)$/, 'doit être un nom, comme $1'],
  [
    /^must be up to 15 printable characters without spaces, such as (\S+)$/,
    'doit avoir au plus 15 caractères imprimables sans espace, comme $1'
  ],
  [/^must be the id of a contact list, such as (\S+)$/, 'doit être le numéro d’une liste de contacts, comme $1'],
  [/^must be octets in hexadecimal, such as (\S+)$/, 'doit être des octets en hexadécimal, comme $1'],
  [/^must be octets in base64, such as (\S+)$/, 'doit être des octets en base64, comme $1'],
  [
    /^must begin with its length and hold whole elements, such as (\S+)$/,
    'doit commencer par sa longueur et contenir des éléments entiers, comme $1'
  ],
  [
    /^has (\d+) octets with its header, and (\d+) is the most$/,
    'fait $1 octets avec son en-tête, et $2 est le maximum'
  ],
  [/^has (\d+) bytes as JSON, and (\d+) is the most$/, 'fait $1 octets, et $2 est le maximum'],
  [/^must be an address or a network, such as (\S+)$/, 'doit être une adresse ou un réseau, comme $1'],
  [/^must be an address such as (\S+)$/, 'doit être une adresse, comme $1'],
  [/^must be null for a key with the scope send, .*$/, 'ne s’applique qu’à une clé limitée aux envois confirmés'],
  [/^must be a number of the carriers file, such as (\S+)$/, 'doit être un numéro du fichier des opérateurs, comme $1'],
  [/^must be a number that the carriers file lists$/, 'doit être un numéro du fichier des opérateurs'],
  [/^must be a number that messages can be sent from$/, 'doit être un numéro qui peut envoyer des messages'],
  [/^must be one word of 2 to 20 letters and digits$/, 'doit être un seul mot de 2 à 20 lettres et chiffres'],
  [
    /^must be a field of a contact, such as (\S+); it is "(.*)"$/,
    'doit être un champ de contact, comme $1, et non « $2 »'
  ],
  [/^must be another field: "(.*)" has a column already$/, 'doit être un autre champ : « $1 » a déjà une colonne'],
  [/^must be text or a number, such as .*$/, 'doit être un texte ou un nombre, car le message l’utilise'],
  [/^must be up to (\d+) ids of messages, such as (\S+)$/, 'doit être au plus $1 numéros de messages, comme $2'],
  [/^must be a host name such as (\S+), .*$/, 'doit être un nom d’hôte, comme $1, sans https:// ni chemin'],
  [/^is the operator’s own host name$/, 'est le nom d’hôte de l’exploitant'],
  [/^is the host of the console already: leave it null$/, 'est déjà l’hôte de la console : laissez ce champ vide'],
  [/^must be a whole PNG or JPEG, in base64$/, 'doit être une image PNG ou JPEG entière'],
  [/^must be a whole JPEG, PNG or GIF$/, 'doit être une image JPEG, PNG ou GIF entière'],
  [/^has (\d+) × (\d+) pixels, and a side may have 1 to (\d+)$/, 'fait $1 × $2 pixels, et un côté en a de 1 à $3'],
  [/^must differ from those of the other variants$/, 'doit différer des autres variantes'],
  [/^must be (\S+), as in the first variant$/, 'doit être $1, comme dans la première variante'],
  [
    /^has (?:1 person|(\d+) people|(\d+)) to send to, and (\d+) variants need (\d+) or more$/,
    (many, sample, variants, least) =>
      `compte ${many ?? sample ?? 1} destinataire(s), et ${variants} variantes en demandent au moins ${least}`
  ],
  [/^must not be given where a person decides$/, 'ne doit pas être donné quand une personne décide'],
  [
    /^must not be given together with segments for a scheduled message: .*$/,
    'ne doit pas être donné avec des segments pour un message programmé : faites-en deux messages'
  ],
  [/^must not be given together with type and data$/, 'ne doit pas être donné avec type et data'],
  [/^must not be given together with (\w+)$/, 'ne doit pas être donné avec $1'],
  [
    /^must not be given for marketing: .*$/,
    'ne doit pas être donné pour le marketing : il part après les autres messages'
  ],
  [/^must not be given for RCS: .*$/, 'ne doit pas être donné pour un RCS : seul un SMS peut l’avoir'],
  [
    /^must not be given for opted_in: .*$/,
    'ne doit pas être donné pour un consentement : il n’est lié à aucun message'
  ],
  [/^must not be given for (\S+), only for anniversary$/, 'ne doit être donné que pour un anniversaire'],
  [/^must not be given for (\S+)$/, 'ne doit pas être donné pour $1'],
  [/^must be given once$/, 'ne doit être donné qu’une fois'],
  [/^must not be marketing: .*$/, 'ne doit pas être marketing : un SMS binaire ne peut pas porter la mention STOP'],
  [
    /^must not be looser than (\S+), .*$/,
    'ne doit pas être moins strict que $1, demandé par l’installation ou le compte parent'
  ],
  [/^must not be 0$/, 'ne doit pas être 0'],
  [/^must be 1, for SMS$/, 'doit être 1, pour un SMS'],
  [/^must have a contact: nobody fits the segment$/, 'doit avoir un contact : personne ne correspond au segment'],
  [
    /^can’t be sent to by RCS: .*$/,
    'est hors de portée en RCS : ce compte n’a pas d’agent pour ces numéros ; ajoutez un SMS de repli, ou demandez un agent à l’exploitant'
  ],
  [/^can’t be sent to: (\S+)$/, 'est hors de portée : $1'],
  [/^has no number to send to: (.+)$/, (left) => `ne compte aucun numéro auquel écrire : ${leftInFrench(left)}`],
  [/^names (\S+), which contacts do not have$/, 'cite $1, que les contacts n’ont pas'],
  [/^names contact list (\d+), which .*$/, 'cite la liste de contacts $1, qui n’existe plus'],
  [/^names message (\d+), which .*$/, 'cite le message $1, qui n’existe plus'],
  [/^names a template whose sender (?:must .*)?$/, 'désigne un modèle dont l’expéditeur n’est pas autorisé'],
  [/^names a template that (\d+)$/, 'désigne un modèle qui $1'],
  [/^is not a limit: .*$/, 'n’est pas une limite ; une limite est credits_per_day'],
  [/^holds (\S+), which is no country; one is FR$/, 'contient $1, qui n’est pas un pays ; FR en est un'],
  [/^holds (\S+), which is no account$/, 'contient $1, qui n’est pas un compte'],
  [/^is a number that is granted to other accounts$/, 'est un numéro attribué à d’autres comptes'],
  [/^is a generic word, .*$/, 'est un mot générique, qui ne dit pas qui écrit'],
  [/^holds the word (.+), which the operator forbids$/, 'contient le mot $1, que l’exploitant interdit'],
  [/^is a name that the operator forbids$/, 'est un nom que l’exploitant interdit'],
  [/^looks like (.+), which the operator forbids$/, 'ressemble à $1, que l’exploitant interdit'],
  [/^looks like (.+), which is reserved for another account$/, 'ressemble à $1, réservé à un autre compte'],
  [/^looks like (.+) of another account$/, 'ressemble à $1 d’un autre compte'],
  [/^is reserved for another account$/, 'est réservé à un autre compte'],
  [/^is declared by another account too$/, 'est aussi déclaré par un autre compte'],
  [/^must stand in the register of (\w+): .*$/, 'doit figurer au registre du pays $1'],
  [/^must be a `next` cursor, .*$/, 'doit être la suite d’une réponse, ou le numéro d’un événement'],
  [/^must be some of (.+), separated by commas$/, 'doit être parmi $1, séparés par des virgules'],
  [/^must be the next of an answer.*$/, 'doit être la suite d’une réponse'],
  [/^must be an id, such as (\d+)$/, 'doit être un numéro, comme $1'],
  [/^belongs in the query: (.+)$/, 'doit être dans l’adresse : $1'],
  [/^is not valid JSON$/, 'n’est pas du JSON valide'],
  [/^is not in UTF-8$/, 'n’est pas en UTF-8'],
  [/^is not as long as announced$/, 'n’a pas la longueur annoncée'],
  [/^must be in the format (\S+)$/, 'doit être au format $1'],
  [/^must be in another form$/, 'n’a pas la bonne forme'],
  [/^must be one of (.+)$/, 'doit être parmi $1'],
  [
    /^must be ((?:a string|text|a number|a whole number|true or false|an object|an array|a list|null)(?: or .+)?)$/,
    (types) => `doit être ${typesInFrench(types)}`
  ],
  [/^must be at least (\S+)$/, 'doit être au moins $1'],
  [/^must be at most (\S+)$/, 'doit être au plus $1'],
  [/^must be more than (\S+)$/, 'doit être supérieur à $1'],
  [/^must be ("[^"]*"|\d+|true|false|null)$/, 'doit être $1']
]

const TYPES: Record<string, string> = {
  'a string': 'un texte',
  text: 'un texte',
  'a number': 'un nombre',
  'a whole number': 'un nombre entier',
  'true or false': 'vrai ou faux',
  'an object': 'un objet',
  'an array': 'une liste',
  'a list': 'une liste',
  null: 'vide'
}

function typesInFrench(types: string): string {
  return Object.entries(TYPES)
    .reduce((text, [english, french]) => text.replace(english, french), types)
    .replaceAll(' or ', ' ou ')
}
