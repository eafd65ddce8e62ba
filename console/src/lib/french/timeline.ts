import type { Sentence } from './sentence.ts'

/** The details of timelines, and the last errors of carriers. Older wordings are still stored in timelines. */
export const TIMELINE: readonly Sentence[] = [
  [/^as RCS$/, 'en RCS'],
  [/^by RCS$/, 'par RCS'],
  [/^id (.*)$/, 'id $1'],
  [
    /^(\d+) segments?, (\d+) credits?$/,
    (segments, credits) =>
      `${segments} ${Number(segments) > 1 ? 'segments' : 'segment'}, ${credits} ${Number(credits) > 1 ? 'crédits' : 'crédit'}`
  ],
  [/^From then on it may leave\.$/, 'Peut partir à partir de ce moment.'],
  [/^It could not leave in time\.$/, 'N’a pas pu partir à temps.'],
  [/^Its sender was disabled before the message left\.$/, 'L’expéditeur a été désactivé avant l’envoi.'],
  [/^The number had opted out before the message left\.$/, 'Le numéro s’était désinscrit avant l’envoi.'],
  [/^The number opted out by a reply\.$/, 'Le numéro s’est désinscrit par une réponse.'],
  [/^The number opted out by a link\.$/, 'Le numéro s’est désinscrit par un lien.'],
  [/^The number opted out by a button\.$/, 'Le numéro s’est désinscrit par un bouton.'],
  [/^The number opted out by hand\.$/, 'Le numéro a été désinscrit à la main.'],
  [/^The number opted out by a file\.$/, 'Le numéro a été désinscrit par un fichier.'],
  [/^The number opted out in the menu of its RCS app\.$/, 'Le numéro s’est désinscrit dans son application RCS.'],
  [/^The number opted out (\S+)\.$/, 'Le numéro s’est désinscrit.'],
  [
    /^The person had no consent any more when the message was to leave\.$/,
    'La personne n’avait plus de consentement au moment de l’envoi.'
  ],
  [/^The link, for the first time\.$/, 'Le lien, pour la première fois.'],
  [/^By a cancel\.$/, 'Par une annulation.'],
  [/^A receipt shows that the carrier has it\.$/, 'Un accusé montre que l’opérateur l’a.'],
  [/^No delivery report came in time\.$/, 'Aucun accusé à temps.'],
  [/^No receipt came within (\d+) days\.$/, 'Aucun accusé en $1 jours.'],
  [/^No carrier of RCS leads to this number\.$/, 'Aucun opérateur RCS ne mène à ce numéro.'],
  [/^This account may no longer use the agent\.$/, 'Ce compte ne peut plus utiliser l’agent.'],
  [/^This phone can’t do RCS\.$/, 'Ce téléphone ne reçoit pas le RCS.'],
  [/^It has no RCS content\.$/, 'Le message n’a pas de contenu RCS.'],
  [/^Its time was over, and the platform may have it\.$/, 'Sa validité était passée, et la plateforme l’a peut-être.'],
  [
    /^.+, and the account (?:does not want anything twice|wants no duplicates)\.$/,
    'L’opérateur n’a jamais confirmé, et le compte ne veut aucun doublon.'
  ],
  [
    /^.+, and the account (?:does not want anything lost|wants no losses)\.$/,
    'L’opérateur n’a jamais confirmé, et le compte ne veut rien perdre.'
  ],
  [
    /^(?:Nothing came to light|The carrier never confirmed it), and the message was cancelled\.$/,
    'L’opérateur n’a jamais confirmé, et le message a été annulé.'
  ],
  [/^No delivery report came in time: it was revoked\.$/, 'Aucun accusé à temps : le RCS a été retiré.'],
  [
    /^No delivery report came in time, but the platform has nothing to revoke\.$/,
    'Aucun accusé à temps, mais la plateforme n’a rien à retirer.'
  ],
  [/^its carrier is not in use any more$/, 'son opérateur n’est plus utilisé'],
  [/^its carrier can’t revoke$/, 'son opérateur ne sait pas retirer un message'],
  [
    /^The number opted out, and the RCS was revoked before it arrived\.$/,
    'Le numéro s’est désinscrit, et le RCS a été retiré avant son arrivée.'
  ],
  [
    /^Its time was over, and the RCS was revoked before it arrived\.$/,
    'Sa validité était passée, et le RCS a été retiré avant son arrivée.'
  ],
  [/^The RCS arrived while its SMS was still queued\.$/, 'Le RCS est arrivé alors que son SMS attendait encore.'],
  [/^It was revoked before it arrived\.$/, 'Retiré avant son arrivée.'],
  [/^It was too late to revoke it\.$/, 'Trop tard pour le retirer.'],
  [
    /^The RCS was delivered although it had fallen back to SMS\.$/,
    'Le RCS a été délivré bien que le SMS l’ait remplacé.'
  ],
  [
    /^(\S+): its time was over, and the platform (?:took it back|revoked it)\.$/,
    '$1 : sa validité était passée, et la plateforme l’a retiré.'
  ],
  [
    /^(\S+): its time was over, but it may still arrive\.$/,
    '$1 : sa validité était passée, mais il peut encore arriver.'
  ],
  [
    /^A conversation covers it: (\d+) RCS (?:credits?|\d+) (?:came back|refunded)\.$/,
    'Couvert par une conversation : $1 crédits RCS remboursés.'
  ],
  [
    /^(?:Whoever was sending it|The sending process) stopped before .*$/,
    'Le processus d’envoi s’est arrêté avant d’enregistrer la réponse de l’opérateur.'
  ],
  [/^The submission failed inside Chappe\.$/, 'L’envoi a échoué dans le service.'],
  // Carriers.
  [/^The carrier is being stopped\.$/, 'L’opérateur est en cours d’arrêt.'],
  [/^The carrier is not bound\.$/, 'L’opérateur n’est pas connecté.'],
  [/^Too many messages wait for this carrier\.$/, 'Trop de messages attendent cet opérateur.'],
  [/^It waited too long for its turn\.$/, 'Le message a attendu son tour trop longtemps.'],
  [/^The platform asked us to wait\.$/, 'La plateforme a demandé d’attendre.'],
  [/^The link went before it was written\.$/, 'La connexion a été coupée avant l’envoi.'],
  [
    /^The carrier took some of its parts; to the next it says (.+)\.$/,
    'L’opérateur a accepté une partie du message ; à la suite, il répond $1.'
  ],
  [
    /^The carrier took some of its parts; the others waited too long\.$/,
    'L’opérateur a accepté une partie du message ; le reste a attendu trop longtemps.'
  ],
  [/^Stopped after some of its parts were taken\.$/, 'Arrêt après qu’une partie du message a été acceptée.'],
  [
    /^The link was lost after some of its parts were taken\.$/,
    'La connexion a été coupée après qu’une partie du message a été acceptée.'
  ],
  [/^The carrier did not answer in time\.$/, 'L’opérateur n’a pas répondu à temps.'],
  [/^The link was lost before the carrier answered\.$/, 'La connexion a été coupée avant la réponse de l’opérateur.'],
  [/^The answer of the carrier can’t be read\.$/, 'La réponse de l’opérateur est illisible.'],
  [/^The carrier refused the bind: (.+)\.$/, 'L’opérateur a refusé la connexion : $1.'],
  [/^The bind was refused: (.+)\.$/, 'La connexion a été refusée : $1.'],
  [/^The bind was not renewed in time\.$/, 'La connexion n’a pas été renouvelée à temps.'],
  [/^Another process took the bind over\.$/, 'Un autre processus a repris la connexion.'],
  [/^Closed while opening\.$/, 'Fermée pendant l’ouverture.'],
  [/^It did not connect in time\.$/, 'La connexion n’a pas abouti à temps.'],
  [/^It was unbound\.$/, 'L’opérateur a mis fin à la connexion.'],
  [/^The carrier did not answer (.+)\.$/, 'L’opérateur n’a pas répondu à $1.'],
  [/^The RCS platform can’t be sent to\.$/, 'La plateforme RCS est injoignable.'],
  [/^The HTTP provider can’t be sent to\.$/, 'Le fournisseur HTTP est injoignable.'],
  [/^The provider accepted it without an id\.$/, 'Le fournisseur l’a accepté sans identifiant.'],
  [/^The provider does not work\.$/, 'Le fournisseur ne fonctionne pas.'],
  [/^There is no token yet\.$/, 'Il n’y a pas encore de jeton.'],
  [/^The platform refuses the tokens of this key\.$/, 'La plateforme refuse les jetons de cette clé.'],
  [/^The server of tokens answered without a token\.$/, 'Le serveur de jetons a répondu sans jeton.'],
  [/^The server of tokens answered (\d+)(.*)\.$/, 'Le serveur de jetons a répondu $1$2.'],
  [/^The platform answered with something that is no JSON\.$/, 'La plateforme a répondu autre chose que du JSON.'],
  [/^The platform answered (\d+)\.$/, 'La plateforme a répondu $1.'],
  [/^It took too long\.$/, 'L’opération a pris trop de temps.'],
  [
    /^(The provider|The platform|The server of tokens) (.+)\.$/,
    (peer, failure) => {
      const known = FAILURES[failure] ?? failure.replace(/^failed \((\w+)\)$/, 'a échoué ($1)')
      return known === failure ? undefined : `${PEERS[peer]} ${known}.`
    }
  ]
]

const PEERS: Record<string, string> = {
  'The provider': 'Le fournisseur',
  'The platform': 'La plateforme',
  'The server of tokens': 'Le serveur de jetons'
}

/** What `exchange` of the service tells of a peer. */
const FAILURES: Record<string, string> = {
  'has a name that was not found': 'a un nom introuvable',
  'has a name whose servers did not answer': 'a un nom qui n’a pas pu être résolu',
  'refused the connection': 'a refusé la connexion',
  'closed the connection before it had answered': 'a fermé la connexion sans répondre',
  'could not be reached in time': 'n’a pas pu être joint à temps',
  'could not be reached': 'n’a pas pu être joint',
  'answered something that is not HTTP': 'a répondu autre chose que du HTTP',
  'answered with headers that are too large': 'a répondu des en-têtes trop longs',
  'is no longer connected to': 'n’est plus joint',
  'did not answer in time': 'n’a pas répondu à temps',
  'had no connection free in time': 'n’avait pas de connexion libre à temps'
}
