import type { Sentence } from './sentence.ts'

/** Webhooks and their deliveries. */
export const WEBHOOKS: readonly Sentence[] = [
  [/^must be a URL, such as (\S+)$/, 'doit être une adresse web, comme $1'],
  [/^must name a host, such as (\S+)$/, 'doit nommer un serveur, comme $1'],
  [/^The receiver (\S+) has a name that was not found\.$/, 'Le nom du récepteur $1 est introuvable.'],
  [/^The receiver (\S+) has a name without an address\.$/, 'Le nom du récepteur $1 n’a pas d’adresse.'],
  [
    /^The receiver (\S+) has a name whose servers (?:did not answer|failed)\.$/,
    'Le nom du récepteur $1 n’a pas pu être résolu.'
  ],
  [/^The receiver (\S+) refused the connection\.$/, 'Le récepteur $1 a refusé la connexion.'],
  [
    /^The receiver (\S+) closed the connection before it had answered\.$/,
    'Le récepteur $1 a fermé la connexion sans répondre.'
  ],
  [/^The receiver (\S+) could not be reached in time\.$/, 'Le récepteur $1 n’a pas pu être joint à temps.'],
  [/^The receiver (\S+) could not be reached\.$/, 'Le récepteur $1 est injoignable.'],
  [
    /^The receiver (\S+) has a TLS certificate for another name\.$/,
    'Le certificat TLS du récepteur $1 est d’un autre nom.'
  ],
  [/^The receiver (\S+) has a TLS certificate that has expired\.$/, 'Le certificat TLS du récepteur $1 a expiré.'],
  [
    /^The receiver (\S+) has a TLS certificate that is not trusted \((\w+)\)\.$/,
    'Le certificat TLS du récepteur $1 n’est pas reconnu ($2).'
  ],
  [/^The receiver (\S+) could not agree on TLS \((\w+)\)\.$/, 'Aucun accord TLS avec le récepteur $1 ($2).'],
  [
    /^The receiver (\S+) answered with headers that are too large\.$/,
    'Le récepteur $1 a répondu des en-têtes trop longs.'
  ],
  [
    /^The receiver (\S+) answered something that is not HTTP \((\w+)\)\.$/,
    'La réponse du récepteur $1 n’est pas du HTTP ($2).'
  ],
  [/^The receiver (\S+) could not be posted to \((\w+)\)\.$/, 'L’envoi au récepteur $1 a échoué ($2).'],
  [
    /^The receiver (\S+) has a private address: .*$/,
    'L’adresse du récepteur $1 est privée : les webhooks ne vont qu’à des adresses publiques.'
  ],
  [
    /^No connection to the receiver became free within (\d+) s\.$/,
    'Aucune connexion au récepteur ne s’est libérée en $1 s.'
  ],
  [/^The receiver could not be reached within (\d+) s\.$/, 'Le récepteur n’a pas pu être joint en $1 s.'],
  [/^The receiver did not answer within (\d+) s\.$/, 'Le récepteur n’a pas répondu en $1 s.'],
  [/^must not lead to a private address, as (\S+) does$/, 'ne doit pas mener à une adresse privée, comme $1'],
  [
    /^must differ from webhooks\[(\d+)\]\.url, which has the same type$/,
    'est déjà celle d’un autre webhook de ce type'
  ],
  [/^The receiver answered 410 Gone\.$/, 'Le récepteur a répondu 410 : il n’existe plus.'],
  [/^The receiver answered (\d+)\.$/, 'Le récepteur a répondu $1.'],
  [/^The receiver closed the connection without an answer\.$/, 'Le récepteur a fermé la connexion sans répondre.'],
  [/^Nothing arrived for five days\.$/, 'Rien n’est arrivé depuis cinq jours.'],
  [/^The webhook was removed\.$/, 'Le webhook a été supprimé.'],
  [
    /^The webhook of this delivery is gone or not active\.$/,
    'Le webhook de cette livraison est supprimé ou désactivé.'
  ],
  [/^The events of this delivery were removed\.$/, 'Les événements de cette livraison ont été supprimés.'],
  [/^No active webhook has the type (\S+)\.$/, 'Aucun webhook actif n’a le type $1.'],
  [
    /^At most (\d+) secrets sign at a time; wait .*$/,
    'Au plus $1 secrets signent à la fois : attendez la fin du premier.'
  ],
  [/^Chappe is stopping\.$/, 'Le service s’arrête.']
]
