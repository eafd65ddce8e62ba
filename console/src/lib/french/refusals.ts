import { leftInFrench } from './left-out.ts'
import type { Sentence } from './sentence.ts'

/** Whole sentences of refusals. */
export const REFUSALS: readonly Sentence[] = [
  [
    /^Whose credits this account spends has just changed; ask again\.$/,
    'Le compte dont les crédits sont utilisés vient de changer : réessayez.'
  ],
  [/^The prices are being read; ask again\.$/, 'Les prix sont en cours de lecture : réessayez.'],
  [
    /^This answer comes as (.+); Accept names none of them\.$/,
    'Cette réponse existe en $1 ; Accept ne demande aucun de ces formats.'
  ],
  [
    /^This takes (\d+) (\S+) credits? now, and not (\d+); nothing was sent\.$/,
    (count = '', type = '', expected = '') =>
      `Cet envoi coûte maintenant ${creditsInFrench(count, type)}, et non ${expected} ; rien n’a été envoyé.`
  ],
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
  [
    /^The sender (\S+) is disabled: it can’t be withdrawn\.$/,
    'L’expéditeur $1 est désactivé : il ne peut pas être retiré.'
  ],
  [/^The sender (\S+) is disabled: (.*)$/, 'L’expéditeur $1 est désactivé : $2'],
  [
    /^The number (\S+) is granted to other accounts: .*$/,
    'Le numéro $1 est attribué à d’autres comptes : demandez-le à l’exploitant, ou prenez un autre expéditeur.'
  ],
  [/^The rule is off\.$/, 'La réponse était arrêtée.'],
  [/^The reply is more than an hour old\.$/, 'Le message reçu date de plus d’une heure.'],
  [/^The number got this answer less than (\d+) s before\.$/, 'Ce numéro a reçu cette réponse moins de $1 s avant.'],
  [/^The number got this answer (\d+) times within a day\.$/, 'Ce numéro a reçu cette réponse $1 fois en un jour.'],
  [/^The account is suspended or closed\.$/, 'Le compte est suspendu ou fermé.'],
  [/^The request is not valid\.$/, 'La demande n’est pas valide.'],
  [
    /^This takes (\d+) (\w+) \w+; the balance is (-?\d+)\.$/,
    (count = '', type = '', balance = '') => `Il faut ${creditsInFrench(count, type)} ; le solde est de ${balance}.`
  ],
  [/^The contact lists are empty\.$/, 'Les listes de contacts sont vides.'],
  [
    /^No number is left to send to: (.+)\. The price list of this account has no price for these countries\.$/,
    (left) =>
      `Aucun numéro auquel écrire : ${leftInFrench(left)}. La grille tarifaire du compte n’a pas de prix pour ces pays.`
  ],
  [/^No number is left to send to: (.+)\.$/, (left) => `Aucun numéro auquel écrire : ${leftInFrench(left)}.`],
  // People, sessions and keys.
  [/^The credentials are missing or wrong\.$/, 'L’identification manque ou est fausse.'],
  [/^The email or the password is wrong\.$/, 'E-mail ou mot de passe incorrect.'],
  [
    /^This log-in needs a second factor: .*$/,
    'Cette connexion demande un second facteur : un code ou une clé d’accès.'
  ],
  [/^There is no passkey to log in with; .*$/, 'Aucune clé d’accès n’est enregistrée : utilisez un code.'],
  [/^Too many log-ins at once; ask again in (\d+) s\.$/, 'Trop de connexions à la fois : réessayez dans $1 s.'],
  [/^This link was used already or is too old; .*$/, 'Ce lien a déjà servi ou est trop ancien : demandez-en un autre.'],
  [
    /^This service sends no mail; .*$/,
    'Ce service n’envoie pas d’e-mails ; l’exploitant peut réinitialiser le mot de passe.'
  ],
  [/^An account with this email exists already\.$/, 'Un compte existe déjà avec cet e-mail.'],
  [
    /^Of the emails that this account .* gave within an hour, (\d+) were taken\.$/,
    'En une heure, ce compte et ses sous-comptes ont saisi $1 e-mails déjà pris.'
  ],
  [
    /^This address is for the people of (.+): log in .*$/,
    'Cette adresse est réservée à $1 : connectez-vous à l’adresse de votre compte.'
  ],
  [
    /^This is the only owner of the account: .*$/,
    'C’est le seul propriétaire du compte : nommez d’abord un autre propriétaire.'
  ],
  [
    /^This person is also on an account that is not one of your sub-accounts: .*$/,
    'Cette personne est aussi sur un compte qui n’est pas le vôtre : seul l’exploitant peut faire cela.'
  ],
  [
    /^This person has no password, and logs in by single sign-on\.$/,
    'Cette personne n’a pas de mot de passe : elle se connecte par l’authentification unique.'
  ],
  [/^A key can’t do this: .*$/, 'Une clé ne peut pas faire cela : connectez-vous avec e-mail et mot de passe.'],
  [
    /^You are only looking at this account, and can’t change it\.$/,
    'Vous consultez seulement ce compte et ne pouvez rien y changer.'
  ],
  [/^You are only looking at this account; .*$/, 'Vous consultez seulement ce compte : faites-le dans le vôtre.'],
  [/^Only the operator, the first account, may .*$/, 'Seul l’exploitant, le premier compte, peut faire cela.'],
  [/^Only a token can be ended; .*$/, 'Seule une session peut être fermée ; une clé finit quand elle est renouvelée.'],
  [
    /^A second factor belongs to a person: .*$/,
    'Un second facteur appartient à une personne : connectez-vous d’abord.'
  ],
  [
    /^An authenticator app is set up already: .*$/,
    'Une application d’authentification est déjà configurée : retirez-la d’abord.'
  ],
  [
    /^There is no authenticator app to confirm: .*$/,
    'Aucune application d’authentification à confirmer : commencez par en ajouter une.'
  ],
  [/^This passkey is stored already\.$/, 'Cette clé d’accès est déjà enregistrée.'],
  [/^You have (\d+) passkeys already: .*$/, 'Vous avez déjà $1 clés d’accès : supprimez-en une d’abord.'],
  [
    /^Set up an authenticator app or a passkey first\.$/,
    'Configurez d’abord une application d’authentification ou une clé d’accès.'
  ],
  [
    /^This account requires a second factor: .*$/,
    'Ce compte exige un second facteur : configurez d’abord une application d’authentification ou une clé d’accès.'
  ],
  [
    /^Log in again first: .*$/,
    'Reconnectez-vous d’abord : cette action demande une authentification de moins de 15 minutes.'
  ],
  [
    /^The provider does not say that your email is verified\.$/,
    'Votre fournisseur d’identité ne confirme pas que votre e-mail est vérifié.'
  ],
  [
    /^This log-in is over, or began in another browser: .*$/,
    'Cette connexion a expiré, ou a commencé dans un autre navigateur : recommencez.'
  ],
  [
    /^None of your groups has an account here: .*$/,
    'Aucun de vos groupes n’a de compte ici : adressez-vous à l’exploitant de ce service.'
  ],
  [/^This key can’t be used from this address\.$/, 'Cette clé n’est pas autorisée depuis cette adresse.'],
  [
    /^This key was replaced by another, and can only be deleted\.$/,
    'Cette clé a été remplacée par une autre : elle ne peut qu’être supprimée.'
  ],
  [/^This key was replaced by another; .*$/, 'Cette clé a été remplacée par une autre : renouvelez celle-là.'],
  [/^This key has expired; .*$/, 'Cette clé a expiré : changez sa date de fin.'],
  [
    /^The first key keeps every scope; .*$/,
    'La première clé garde tous les droits : créez une autre clé avec moins de droits.'
  ],
  [/^The first key can’t be deleted; .*$/, 'La première clé ne peut pas être supprimée : renouvelez-la.'],
  [/^A key can’t give more than it has: .*$/, 'Une clé ne peut pas donner plus de droits qu’elle n’en a.'],
  [
    /^This email has a password here by now: .*$/,
    'Cet e-mail a maintenant un mot de passe ici : acceptez de nouveau avec celui-ci.'
  ],
  [/^This invitation has been accepted already\.$/, 'Cette invitation a déjà été acceptée.'],
  [/^This invitation was valid until (\S+): .*$/, 'Cette invitation n’est plus valide : demandez-en une autre.'],
  [
    /^This invitation is for another person: .*$/,
    'Cette invitation est pour une autre personne : connectez-vous avec son compte.'
  ],
  [/^You are on this account already\.$/, 'Vous êtes déjà sur ce compte.'],
  [/^This person is on the account already\.$/, 'Cette personne est déjà sur le compte.'],
  [
    /^This person has an open invitation already: .*$/,
    'Cette personne a déjà une invitation en attente : retirez-la pour en envoyer une autre.'
  ],
  [
    /^At most (\d+) invitations can be open: .*$/,
    'Au plus $1 invitations peuvent être en attente : retirez-en d’abord.'
  ],
  [
    /^The account made (\d+) invitations within a day: .*$/,
    'Le compte a fait $1 invitations en un jour : attendez demain.'
  ],
  // Accounts, limits and credits.
  [/^A sub-account can’t create sub-accounts\.$/, 'Un sous-compte ne peut pas créer de sous-comptes.'],
  [
    /^The operator’s own account can’t be suspended or closed\.$/,
    'Le compte de l’exploitant ne peut être ni suspendu ni fermé.'
  ],
  [/^The account is closed, which is final\.$/, 'Le compte est fermé définitivement.'],
  [/^The account is closed\.$/, 'Le compte est fermé.'],
  [
    /^The operator has suspended this sub-account, .*$/,
    'L’exploitant a suspendu ce sous-compte, et lui seul peut le rétablir.'
  ],
  [
    /^An account may have at most (\d+) keys; .*$/,
    'Un compte peut avoir au plus $1 clés ; l’exploitant peut en autoriser davantage.'
  ],
  [
    /^An account may have at most (\d+) webhooks; .*$/,
    'Un compte peut avoir au plus $1 webhooks ; l’exploitant peut en autoriser davantage.'
  ],
  [
    /^An account may have at most (\d+) sub-accounts; .*$/,
    'Un compte peut avoir au plus $1 sous-comptes ; l’exploitant peut en autoriser davantage.'
  ],
  [
    /^An account may have at most (\d+) people, .*$/,
    'Un compte peut avoir au plus $1 personnes, invitations comprises ; l’exploitant peut en autoriser davantage.'
  ],
  [/^An account may have at most (\d+) keywords\.$/, 'Un compte peut avoir au plus $1 mots-clés.'],
  [
    /^An account may have at most (\d+) .+; the operator can allow more\.$/,
    'La limite de ce compte est $1 ; l’exploitant peut en autoriser davantage.'
  ],
  [
    /^The account (.+): a limit of (\d+) is below that\.$/,
    'Le compte en utilise déjà davantage : une limite de $2 est trop basse.'
  ],
  [
    /^This account may spend (\d+) credits a day; (\d+) are spent, and this takes (\d+)\.$/,
    'Ce compte peut dépenser $1 crédits par jour : $2 sont dépensés, et cet envoi en demande $3.'
  ],
  [
    /^This key may spend (\d+) credits within 24 hours; (\d+) are spent, and this takes (\d+)\.$/,
    'Cette clé peut dépenser $1 crédits en 24 heures : $2 sont dépensés, et cet envoi en demande $3.'
  ],
  [/^The credits of the day are being counted; .*$/, 'Les crédits du jour sont en cours de calcul : réessayez.'],
  [
    /^This account may ask (\d+) times? a second; .*$/,
    'Ce compte est limité à $1 demandes par seconde : réessayez dans 1 s.'
  ],
  [/^This account may ask (.+) a second; .*$/, 'Ce compte fait trop de demandes par seconde : réessayez dans 1 s.'],
  [
    /^The operator asks nobody for credits: .*$/,
    'L’exploitant ne demande de crédits à personne : il les ajoute à son compte.'
  ],
  [
    /^This account spends the credits of (?:its parent account|the account above), .*$/,
    'Ce compte utilise les crédits de son compte parent et n’a pas besoin des siens.'
  ],
  [/^There is no operator to ask\.$/, 'Il n’y a pas d’exploitant à qui demander.'],
  [
    /^An account can have (\d+) requests that wait for an answer: .*$/,
    'Un compte peut avoir $1 demandes en attente : retirez-en une d’abord.'
  ],
  [
    /^An account can ask for credits (\d+) times a day: .*$/,
    'Un compte peut demander des crédits $1 fois par jour : réessayez demain.'
  ],
  [/^The request is (\S+) already\.$/, (state) => `La demande est déjà ${REQUEST_STATES[state] ?? state}.`],
  [/^There is a price list named (.+) already\.$/, 'Une grille tarifaire nommée $1 existe déjà.'],
  [/^An account has at most (\d+) price lists\.$/, 'Un compte a au plus $1 grilles tarifaires.'],
  [/^A price list has at most (\d+) versions\.$/, 'Une grille tarifaire a au plus $1 versions.'],
  [/^An account stores at most (\d+) prices, .*$/, 'Un compte garde au plus $1 prix, toutes versions comprises.'],
  [/^An account stores at most (\d+) versions, .*$/, 'Un compte garde au plus $1 versions, toutes grilles comprises.'],
  [/^Another account has the host name (\S+)\.$/, 'Un autre compte a le nom d’hôte $1.'],
  [
    /^A sub-account has the host names of (?:its parent account|the account above it)\.$/,
    'Un sous-compte a les noms d’hôte de son compte parent.'
  ],
  [/^The operator’s own host names are in the settings\.$/, 'Les noms d’hôte de l’exploitant sont dans les réglages.'],
  [
    /^Only a top-level account has a look; .*$/,
    'Seul un compte principal a une apparence ; ses sous-comptes la partagent.'
  ],
  // Senders, numbers and keywords.
  [
    /^The sender (\S+) is approved for (\S+) messages only, and this is a (\S+) one\.$/,
    'L’expéditeur $1 n’est accepté que pour les messages $2.'
  ],
  [/^The sender (\S+) is withdrawn\.$/, 'L’expéditeur $1 est retiré.'],
  [/^The sender (\S+) is declared already\.$/, 'L’expéditeur $1 est déjà déclaré.'],
  [/^An account can have (\d+) senders: .*$/, 'Un compte peut avoir $1 expéditeurs : retirez-en un d’abord.'],
  [
    /^The sender (\S+) is (\S+) by now: .*$/,
    (name, state) => `L’expéditeur ${name} est déjà ${SENDER_STATES[state] ?? state} : quelqu’un d’autre a décidé.`
  ],
  [
    /^The sender (\S+) is (\S+), and can’t become (\S+)\.$/,
    (name, state, next) =>
      `L’expéditeur ${name} est ${SENDER_STATES[state] ?? state}, et ne peut pas devenir ${SENDER_STATES[next] ?? next}.`
  ],
  [
    /^The sender (\S+) is (\S+) by the operator, .*$/,
    (name, state) =>
      `L’expéditeur ${name} est ${SENDER_STATES[state] ?? state} par l’exploitant, qui seul peut changer cela.`
  ],
  [/^The number (\S+) has the keyword (\S+) already\.$/, 'Le numéro $1 a déjà le mot-clé $2.'],
  [/^A carrier of type (\S+) has no binds to look at\.$/, 'Un opérateur de type $1 n’a pas de connexion à observer.'],
  [/^This system_id is taken; .*$/, 'Ce system_id est pris : choisissez-en un autre.'],
  // Messages, and all that sends them.
  [
    /^Nothing is left to cancel: the (message|trial) is (\S+)\.$/,
    (kind, state) =>
      `Rien à annuler : ${kind === 'trial' ? 'le test' : 'le message'} est ${MESSAGE_STATES[state] ?? state}.`
  ],
  [
    /^Nothing is left to pause: the message is (\S+)\.$/,
    (state) => `Rien à mettre en pause : le message est ${MESSAGE_STATES[state] ?? state}.`
  ],
  [/^The message is paused already\.$/, 'Le message est déjà en pause.'],
  [/^The message is not paused\.$/, 'Le message n’est pas en pause.'],
  [
    /^Only a scheduled message can be replaced; this one (?:is )?(\S+)\.$/,
    (state) => `Seul un message programmé peut être remplacé ; celui-ci est ${MESSAGE_STATES[state] ?? state}.`
  ],
  [
    /^Only SMS messages can be sent again: .*$/,
    'Seuls les SMS peuvent être renvoyés : un RCS non délivré passe par son SMS de repli.'
  ],
  [/^No recipient of this message failed\.$/, 'Aucun destinataire de ce message n’est en échec.'],
  [/^Another resend of this message is running\.$/, 'Un autre renvoi de ce message est en cours.'],
  [
    /^All failed recipients of this message have been resent already\.$/,
    'Tous les destinataires en échec ont déjà été renvoyés.'
  ],
  [
    /^Other marketing is being accepted for the same people; .*$/,
    'Un autre envoi marketing aux mêmes personnes est en cours : réessayez.'
  ],
  [
    /^A message with this external_id is being accepted; .*$/,
    'Un envoi avec cette référence est en cours : réessayez.'
  ],
  [
    /^Its people are found when it departs, .*$/,
    'Les destinataires et les crédits sont calculés au moment de l’envoi : ces chiffres sont ceux de maintenant.'
  ],
  [
    /^It will not have left by its deadline, (\S+): at the pace of the carriers, the last recipient leaves at about (\S+)\.$/,
    'L’envoi ne sera pas terminé à l’échéance, $1 : au rythme des opérateurs, il finirait vers $2.'
  ],
  [/^The account has (\d+) drafts; .*$/, 'Le compte a $1 brouillons : supprimez-en un d’abord.'],
  [/^There is no draft (\d+): .*$/, 'Le brouillon $1 n’existe plus : il a été envoyé ou supprimé.'],
  [/^Somebody changed the draft meanwhile: .*$/, 'Quelqu’un a modifié le brouillon entre-temps : rouvrez-le.'],
  [/^The trial has not begun\.$/, 'Le test n’a pas commencé.'],
  [/^The trial is decided already\.$/, 'Le test est déjà décidé.'],
  [/^The trial was cancelled\.$/, 'Le test a été annulé.'],
  [/^The trial could not begin\.$/, 'Le test n’a pas pu commencer.'],
  [/^The trial (\S+|is testing)\.$/, 'Le test est en cours.'],
  [
    /^Message (\d+) is scheduled to this segment; .*$/,
    'Le message $1 est programmé pour ce segment : annulez-le d’abord.'
  ],
  [/^The account has (\d+) segments; .*$/, 'Le compte a $1 segments : supprimez-en un d’abord.'],
  [/^The account has (\d+) automations; .*$/, 'Le compte a $1 automatisations : supprimez-en une d’abord.'],
  [/^The account has (\d+) auto-replies; .*$/, 'Le compte a $1 réponses automatiques : supprimez-en une d’abord.'],
  [/^The account has (\d+) canned replies; .*$/, 'Le compte a $1 réponses types : supprimez-en une d’abord.'],
  [/^The account has (\d+) pictures; .*$/, 'Le compte a $1 images : supprimez-en une d’abord.'],
  [/^The list has a contact with this number already\.$/, 'La liste a déjà un contact avec ce numéro.'],
  [/^The sandbox carrier is not connected at the moment\.$/, 'L’opérateur de test n’est pas connecté pour l’instant.'],
  [/^Too many links that lead nowhere .*$/, 'Trop de liens inconnus ont été ouverts d’ici : réessayez plus tard.'],
  // The service itself.
  [/^There is no such (.+)\.$/, (what) => NOT_FOUND[what] ?? 'Cela n’existe pas, ou a été supprimé.'],
  [/^There is nothing at this address\.$/, 'Il n’y a rien à cette adresse.'],
  [/^The file is larger than (\d+) MiB\.$/, 'Le fichier dépasse $1 Mio.'],
  [/^The body is larger than this operation takes\.$/, 'La demande est trop volumineuse.'],
  [/^There is no room for the file right now\.$/, 'Il n’y a pas de place pour le fichier pour l’instant.'],
  [
    /^Something went wrong on our side; .*$/,
    'Une erreur s’est produite de notre côté. Réessayez ; l’exploitant la retrouve par le numéro de la requête.'
  ],
  [/^Somebody else is changing the same thing right now; .*$/, 'Quelqu’un d’autre modifie la même chose : réessayez.'],
  [
    /^The database can’t store anything right now; .*$/,
    'Le service ne peut rien enregistrer pour l’instant : réessayez plus tard.'
  ],
  [/^The database can’t be reached right now; .*$/, 'La base de données est injoignable pour l’instant : réessayez.'],
  [/^The request did not arrive in time\.$/, 'La demande n’est pas arrivée à temps.'],
  [/^This took too long; .*$/, 'L’opération a pris trop de temps : réessayez.'],
  [/^The service is overloaded; .*$/, 'Le service est surchargé : réessayez.'],
  [/^Too many files are being received; .*$/, 'Trop de fichiers arrivent à la fois : réessayez.'],
  [/^Too many large answers .*$/, 'Trop de grandes réponses sont encore en cours de lecture : réessayez.'],
  [/^This process is stopping; .*$/, 'Le service redémarre : réessayez.'],
  [/^Too many requests without credentials .*$/, 'Trop de demandes sans identification : réessayez.'],
  [/^Links can’t be looked up right now; .*$/, 'Les liens ne peuvent pas être lus pour l’instant : réessayez.'],
  [/^Too many pictures are asked for at once; .*$/, 'Trop d’images sont demandées à la fois : réessayez.'],
  [
    /^This Idempotency-Key was used for another request .*$/,
    'Cette action a déjà servi à une autre demande : rechargez la page.'
  ],
  [/^A request with this Idempotency-Key is still running\.$/, 'Cette action est encore en cours.']
]

const REQUEST_STATES: Record<string, string> = { given: 'accordée', declined: 'refusée', withdrawn: 'retirée' }

const SENDER_STATES: Record<string, string> = {
  waiting: 'en attente',
  approved: 'accepté',
  refused: 'refusé',
  disabled: 'désactivé'
}

const MESSAGE_STATES: Record<string, string> = {
  scheduled: 'programmé',
  sending: 'en cours d’envoi',
  leaving: 'en cours d’envoi',
  sent: 'envoyé',
  cancelled: 'annulé',
  failed: 'en échec',
  chosen: 'décidé'
}

/** The nouns of the service that a reader of the console may look for. */
const NOT_FOUND: Record<string, string> = {
  account: 'Ce compte n’existe pas.',
  'sub-account': 'Ce sous-compte n’existe pas.',
  message: 'Ce message n’existe pas.',
  'SMS message': 'Ce SMS n’existe pas.',
  'RCS message': 'Ce RCS n’existe pas.',
  recipient: 'Ce destinataire n’existe pas.',
  contact: 'Ce contact n’existe pas, ou a été supprimé.',
  'contact list': 'Cette liste de contacts n’existe pas, ou a été supprimée.',
  segment: 'Ce segment n’existe pas, ou a été supprimé.',
  field: 'Ce champ n’existe pas.',
  template: 'Ce modèle n’existe pas, ou a été supprimé.',
  'SMS template': 'Ce modèle SMS n’existe pas, ou a été supprimé.',
  'RCS template': 'Ce modèle RCS n’existe pas, ou a été supprimé.',
  draft: 'Ce brouillon n’existe pas : il a été envoyé ou supprimé.',
  sender: 'Cet expéditeur n’existe pas, ou a été retiré.',
  agent: 'Cet agent n’existe pas.',
  'agent of this account': 'Ce compte n’a pas cet agent.',
  carrier: 'Cet opérateur n’existe pas.',
  'SMS carrier': 'Cet opérateur SMS n’existe pas.',
  keyword: 'Ce mot-clé n’existe pas.',
  conversation: 'Cette conversation n’existe pas.',
  automation: 'Cette automatisation n’existe pas, ou a été supprimée.',
  'auto-reply': 'Cette réponse automatique n’existe pas, ou a été supprimée.',
  'canned reply': 'Cette réponse type n’existe pas, ou a été supprimée.',
  trial: 'Ce test n’existe pas.',
  picture: 'Cette image n’existe pas, ou a été supprimée.',
  'price list': 'Cette grille tarifaire n’existe pas.',
  version: 'Cette version n’existe pas.',
  statement: 'Ce relevé n’existe pas.',
  request: 'Cette demande n’existe pas.',
  person: 'Cette personne n’est pas sur ce compte.',
  invitation: 'Cette invitation n’existe pas, ou a été retirée.',
  key: 'Cette clé n’existe pas, ou a été supprimée.',
  'SMPP credential': 'Cet accès SMPP n’existe pas, ou a été supprimé.',
  passkey: 'Cette clé d’accès n’existe pas.',
  'authenticator app': 'Il n’y a pas d’application d’authentification.',
  'second factor': 'Il n’y a pas de second facteur.',
  session: 'Cette session n’existe plus.',
  delivery: 'Cette livraison n’existe pas.',
  STOP: 'Ce STOP n’existe pas.',
  consent: 'Ce consentement n’existe pas.'
}

function creditsInFrench(count: string, type: string): string {
  return `${count} ${Number(count) < 2 ? 'crédit' : 'crédits'} ${type}`
}
