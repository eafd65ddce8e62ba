/** Sentences of the service, and the same in French. The first that fits counts. */
export const SENTENCES: [RegExp, string][] = [
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
  ],
  // Price lists and costs of carriers. The place, "line 3: ", is put in French apart.
  [/^(\S+) has two prices for (\S+): the other is on line (\d+)$/, '$1 a deux prix pour $2, l’autre est à la ligne $3'],
  [
    /^(\S+) has a price for (\S+) and none for the rest of (\S+);.*$/,
    '$1 a un prix pour $2 et aucun pour le reste de $3 ; ajoutez une ligne pour $3'
  ],
  [/^(\S+) has a price for (\S+) and none for (\S+);.*$/, '$1 a un prix pour $2 et aucun pour $3 ; ajoutez une ligne'],
  [/^credits must be a whole number from 1 to (\d+).*$/, 'credits doit être un nombre entier de 1 à $1'],
  [/^kind must be (.+)$/, 'kind doit être $1'],
  [/^prefix must be 1 to (\d+) digits.*$/, 'prefix doit avoir de 1 à $1 chiffres, comme 33, ou être *'],
  [/^prefix (\d+) begins with no calling code$/, 'le préfixe $1 ne commence par aucun indicatif de pays'],
  [/^carrier must be the name of a carrier, such as main$/, 'carrier doit être le nom d’un opérateur, comme main'],
  [/^channel must be sms or rcs$/, 'channel doit être sms ou rcs'],
  [
    /^(cost )?must be a number from 0 to (\d+) with up to (\d) decimals, such as (\S+)$/,
    '$1doit être un nombre de 0 à $2 avec au plus $3 décimales, comme $4'
  ],
  [/^(currency )?must be a code of ISO 4217, such as EUR$/, '$1doit être un code ISO 4217, comme EUR'],
  [/^(.+) has two costs for (\S+)$/, '$1 a deux coûts pour $2'],
  [/^(.+) has costs in (\S+) and in (\S+)$/, '$1 a des coûts en $2 et en $3'],
  [/^has more than (\d+) costs$/, 'a plus de $1 coûts'],
  [/^has no costs: .*$/, 'n’a aucun coût sous sa ligne de titres'],
  [/^must begin with a line of titles: (.+)$/, 'doit commencer par une ligne de titres : $1'],
  [/^has no prices: .*$/, 'n’a aucun prix sous sa ligne de titres'],
  [/^has (\d+) numbers without a price$/, 'compte $1 numéros sans prix'],
  [/^must not be in the past: .*$/, 'ne doit pas être passé : ce qui est accepté garde son prix'],
  [/^must be at most two years ahead$/, 'doit être dans deux ans au plus'],
  // Mistakes in files.
  [/^holds a NUL byte: this is no text$/, 'contient un octet nul : ce n’est pas un texte'],
  [
    /^is too long, or a quote is opened here and never closed$/,
    'trop longue, ou un guillemet ouvert ici n’est jamais fermé'
  ],
  [/^a quote is opened here and never closed$/, 'un guillemet ouvert ici n’est jamais fermé'],
  [/^a closing quote is followed by more text$/, 'du texte suit un guillemet fermant'],
  [/^a cell is too long$/, 'une cellule est trop longue'],
  [/^the sheet is damaged here$/, 'la feuille est abîmée ici'],
  [/^has more than (\d+) (?:parts|tags in one part)\b.*$/, 'a plus de $1 éléments ; enregistrez-le en CSV'],
  [/^unpacks to more than (\d+) MiB .*$/, 'dépasse $1 Mio une fois décompressé ; enregistrez-le en CSV'],
  [/^has (\d+) bytes, and (\d+) is the most$/, 'fait $1 octets, et $2 est le maximum'],
  [
    /^has no column name: .*$/,
    'n’a pas de colonne name : la première ligne doit porter les titres, comme name;kind;account;note'
  ],
  [/^has more than (\d+) names$/, 'a plus de $1 noms'],
  [/^must be a PDF, a PNG or a JPEG$/, 'doit être un PDF, un PNG ou un JPEG'],
  [/^must be one file, and there are several$/, 'doit être un seul fichier'],
  [/^was cancelled before all of it was stored$/, 'a été annulé avant d’être enregistré en entier'],
  // Webhooks, and their deliveries.
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
  [/^The receiver did not answer within (\d+) s\.$/, 'Le récepteur n’a pas répondu en $1 s.']
]
