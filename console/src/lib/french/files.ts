import type { Sentence } from './sentence.ts'

/** Mistakes in files, and why rows of a file were left out. "line 3: " is put in French apart. */
export const FILES: readonly Sentence[] = [
  [/^has no column of phone numbers$/, 'n’a pas de colonne de numéros de téléphone'],
  [/^has more than (\d+) columns$/, 'a plus de $1 colonnes'],
  [/^is not a column of this file$/, 'n’est pas une colonne de ce fichier'],
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
  [/^(\S+) has two prices for (\S+): the other is on line (\d+)$/, '$1 a deux prix pour $2, l’autre est à la ligne $3'],
  [
    /^(\S+) has a price for (\S+) and none for the rest of ([^;]+);.*$/,
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
  [
    /^has no column name: .*$/,
    'n’a pas de colonne name : la première ligne doit porter les titres, comme name;kind;account;note'
  ],
  [/^has no column (.+)$/, 'n’a pas de colonne $1'],
  [/^has two columns for (\S+): (.+) and (.+)$/, 'a deux colonnes pour $1 : $2 et $3'],
  [/^has two columns for (\S+): (.+)$/, 'a deux colonnes pour $1 : $2'],
  [/^has more than (\d+) prices$/, 'a plus de $1 prix'],
  [/^has tags nested deeper than (\d+)$/, 'a des éléments imbriqués au-delà de $1 niveaux ; enregistrez-le en CSV'],
  [/^has a tag, or a text, of more than 1 MiB$/, 'a un élément ou un texte de plus de 1 Mio ; enregistrez-le en CSV'],
  [/^account must be an id, such as (\d+)$/, 'account doit être un numéro, comme $1'],
  // Rows of a file that were left out.
  [/^repeated$/, 'en double'],
  [/^no number$/, 'pas de numéro'],
  [/^not a phone number$/, 'numéro invalide'],
  [/^(\w+) is longer than (\d+) characters$/, '$1 dépasse $2 caractères'],
  [/^no date$/, 'pas de date'],
  [/^not a date$/, 'date invalide'],
  [/^a date in the future$/, 'date dans le futur'],
  [/^was withdrawn$/, 'consentement retiré'],
  [/^not one of (.+)$/, 'valeur inconnue ; attendu : $1'],
  [/^too long a wording$/, 'texte du consentement trop long'],
  [/^too long a proof$/, 'preuve trop longue'],
  [/^too long a purpose$/, 'but trop long']
]
