import { typeset } from '../../lib/french/typography.ts'

/*
 * The service tells the rules of countries in English. French readers get the sentences below; one that is missing stays
 * English. `test/console/senders.test.ts` checks that none is missing.
 */

export function ruleIn(language: 'en' | 'fr', text: string): string {
  return language === 'fr' ? typeset(FRENCH[text] ?? text) : text
}

const FRENCH: Record<string, string> = {
  '3 to 11 letters and digits': 'De 3 à 11 lettres sans accent et chiffres',
  '3 to 11 letters, digits, spaces, dots, dashes and underscores':
    'De 3 à 11 lettres sans accent, chiffres, espaces, points, tirets et tirets bas',
  '6 letters': '6 lettres',
  'Numbers and short codes of this service.': 'Les numéros et numéros courts de ce service.',
  'Short codes and numbers of this service; never a mobile number (06, 07).':
    'Les numéros courts et numéros de ce service ; jamais un numéro mobile (06, 07).',
  'Short codes, toll-free numbers and registered 10-digit numbers of this service.':
    'Les numéros courts, numéros gratuits et numéros à 10 chiffres enregistrés de ce service.',
  'Short codes, toll-free numbers and 10-digit numbers of this service.':
    'Les numéros courts, numéros gratuits et numéros à 10 chiffres de ce service.',
  'Marketing without the consent that the law asks for.': 'Le marketing sans le consentement que la loi exige.',
  'Hiding who sends a marketing message.': 'Cacher l’auteur d’un message marketing.',
  'Names with spaces or signs.': 'Les noms avec des espaces ou des signes.',
  'Mobile numbers (06, 07) as senders.': 'Les numéros mobiles (06, 07) comme expéditeurs.',
  'Names as senders.': 'Les noms comme expéditeurs.',
  'Generic names.': 'Les noms génériques.',
  'Names that are not in the register.': 'Les noms absents du registre.',
  'Names that are not in the register: operators block them.':
    'Les noms absents du registre : les opérateurs les bloquent.',
  'Names that are not in the register: phones show “Likely Scam” instead.':
    'Les noms absents du registre : les téléphones affichent « Likely Scam » à la place.',
  'Names that are not in the register: phones show “Unverified” instead.':
    'Les noms absents du registre : les téléphones affichent « Unverified » à la place.',
  'Names of public bodies, for others.': 'Les noms d’organismes publics, pour tout autre expéditeur.',
  'Names of public bodies, and look-alikes of them: operators block them.':
    'Les noms d’organismes publics et ceux qui leur ressemblent : les opérateurs les bloquent.',
  'Marketing without the right sender or an easy opt-out free of charge.':
    'Le marketing sans expéditeur exact, ou sans désinscription simple et gratuite.',
  'Marketing without the name of the sender and a way to opt out.':
    'Le marketing sans le nom de l’expéditeur ni moyen de se désinscrire.',
  'Headers and texts that are not registered.': 'Les noms et les textes qui ne sont pas enregistrés.',
  'Marketing until 21:30, for an account that sets it.': 'Le marketing jusqu’à 21:30, pour un compte qui le choisit.',
  'Marketing on Sundays and public holidays, for an account that turns it on; the charter advises against it.':
    'Le marketing les dimanches et jours fériés, pour un compte qui l’active ; la charte le déconseille.',
  'Registro de Alias of the CNMC, https://www.cnmc.es': 'Registro de Alias de la CNMC, https://www.cnmc.es',
  'Registro Alias of AGCOM, https://alias.agcom.it': 'Registro Alias de l’AGCOM, https://alias.agcom.it',
  'SMS Sender ID Registry of ComReg, https://www.comreg.ie':
    'SMS Sender ID Registry de la ComReg, https://www.comreg.ie',
  'Headers on the DLT platform of an Indian operator, with the templates of the texts':
    'Noms (« headers ») sur la plateforme DLT d’un opérateur indien, avec les modèles des textes',
  'Singapore SMS Sender ID Registry (SSIR), https://www.sgnic.sg':
    'Singapore SMS Sender ID Registry (SSIR), https://www.sgnic.sg',
  'SMS Sender ID Register of the ACMA, https://www.acma.gov.au/sms-sender-id-register':
    'SMS Sender ID Register de l’ACMA, https://www.acma.gov.au/sms-sender-id-register',
  'The operators of Morocco, through your carrier': 'Les opérateurs du Maroc, par votre opérateur',
  'Nobody has collected the rules of this country for Chappe: ask your carrier before a campaign.':
    'Personne n’a réuni les règles de ce pays pour Chappe : interrogez votre opérateur avant une campagne.',
  'The address is that of the association’s page on its charter; the edition of March 2026 goes to its members.':
    'L’adresse est celle de la page de l’association sur sa charte ; l’édition de mars 2026 est réservée à ses membres.',
  'The Privacy and Electronic Communications Regulations 2003 set no hours. Operators block names of banks and public bodies from others.':
    'Les Privacy and Electronic Communications Regulations 2003 ne fixent pas d’heures. Les opérateurs bloquent les noms de banques et d’organismes publics utilisés par d’autres.',
  'Section 7 of the UWG sets no hours for SMS.': 'L’article 7 de l’UWG ne fixe pas d’heures pour les SMS.',
  'Order TDF/149/2025. Operators block other names since 2026; two dates were announced, 7 June and 15 September.':
    'Arrêté TDF/149/2025. Les opérateurs bloquent les autres noms depuis 2026 ; deux dates ont été annoncées, le 7 juin et le 15 septembre.',
  'Resolution 42/13/CIR and those after it. The register tells upper from lower case.':
    'Décision 42/13/CIR et suivantes. Le registre distingue majuscules et minuscules.',
  'The address is that of the regulator. Operators may ask for proof of a name; no hours are published for SMS.':
    'L’adresse est celle du régulateur. Les opérateurs peuvent demander un justificatif du nom ; aucune heure n’est publiée pour les SMS.',
  'Article 11.7 of the Telecommunicatiewet sets no hours for SMS.':
    'L’article 11.7 de la Telecommunicatiewet ne fixe pas d’heures pour les SMS.',
  'Article 3, paragraph 1, letter o of the UWG sets no hours for SMS.':
    'L’article 3, alinéa 1, lettre o de la LCD (UWG) ne fixe pas d’heures pour les SMS.',
  'Law 41/2004, article 13-A, asks for consent and sets no hours. The address is that of the regulator.':
    'La loi 41/2004, article 13-A, exige le consentement et ne fixe pas d’heures. L’adresse est celle du régulateur.',
  'Blocking was announced for 3 October 2025 and put off; the stricter reading stands here. The address is that of the regulator.':
    'Le blocage était annoncé pour le 3 octobre 2025, puis a été reporté ; la lecture la plus stricte est retenue ici. L’adresse est celle du régulateur.',
  'The Act on combating abuse in electronic communication protects names of public bodies. Others need no register.':
    'La loi contre les abus dans les communications électroniques protège les noms d’organismes publics. Les autres n’ont pas de registre.',
  'A number does not tell its time zone: on the mainland, marketing leaves while it is between 8:00 and 21:00 in New York and in Los Angeles. Some states, such as Texas and Florida, end earlier or begin later on Sundays.':
    'Un numéro ne dit pas son fuseau horaire : sur le continent, le marketing part quand il est entre 8:00 et 21:00 à New York comme à Los Angeles. Certains États, comme le Texas et la Floride, finissent plus tôt ou commencent plus tard le dimanche.',
  'The anti-spam law (CASL) sets no hours; those of the rules on telemarketing are for calls.':
    'La loi anti-pourriel (LCAP) ne fixe pas d’heures ; celles des règles de télémarketing concernent les appels.',
  'Telecom Commercial Communications Customer Preference Regulations, 2018, as amended in 2025; the address is that of the regulator. A person may choose narrower hours, which only the Indian operators know. Headers of marketing are often numeric: ask the operator.':
    'Telecom Commercial Communications Customer Preference Regulations de 2018, modifiées en 2025 ; l’adresse est celle du régulateur. Une personne peut choisir des heures plus étroites, que seuls les opérateurs indiens connaissent. Les noms du marketing sont souvent des chiffres : interrogez l’opérateur.',
  'Marketing also needs a check of the Do Not Call Registry. No hours are published for SMS.':
    'Le marketing demande aussi une vérification dans le Do Not Call Registry. Aucune heure n’est publiée pour les SMS.',
  'The Spam Act 2003 sets no hours; those of telemarketing are for calls.':
    'Le Spam Act 2003 ne fixe pas d’heures ; celles du télémarketing concernent les appels.',
  'The address is that of the regulator. Operators take names that were declared to them; the stricter reading stands here. Law 09-08 asks for consent.':
    'L’adresse est celle du régulateur. Les opérateurs prennent les noms qui leur ont été déclarés ; la lecture la plus stricte est retenue ici. La loi 09-08 exige le consentement.'
}

/** Whether the text needs no French of its own, or has it. */
export const hasFrench = (text: string) => text === '' || FRENCH[text] !== undefined
