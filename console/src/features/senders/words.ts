import { defineWords } from '../../lib/language.ts'

export const senderWords = defineWords(
  {
    waiting: 'Waiting',
    approved: 'Approved',
    refused: 'Refused',
    disabled: 'Disabled',
    any: 'All messages',
    marketing: 'Marketing',
    transactional: 'Transactional',
    everywhere: 'Every country',
    open: 'Open',
    warn: 'Warn',
    enforce: 'Enforce',
    generic: 'A generic word: it does not tell who writes.',
    forbidden: (name: string) => `The operator forbids ${name}.`,
    reserved: 'Reserved for another account.',
    taken: 'Another account has declared the same name.',
    'looks-like': (name: string) => `Looks like ${name} of another account.`,
    granted: 'The number is granted to other accounts.',
    ofAccount: (id: number) => ` (account ${id})`,
    proof: 'Proof',
    file: 'Download the file',
    countries: 'Countries',
    use: 'Use',
    link: 'Page:',
    reason: 'Reason'
  },
  {
    waiting: 'En attente',
    approved: 'Accepté',
    refused: 'Refusé',
    disabled: 'Désactivé',
    any: 'Tous les messages',
    marketing: 'Marketing',
    transactional: 'Transactionnel',
    everywhere: 'Tous les pays',
    open: 'Ouvert',
    warn: 'Avertir',
    enforce: 'Imposer',
    generic: 'Mot générique : il ne dit pas qui écrit.',
    forbidden: (name: string) => `L’exploitant interdit ${name}.`,
    reserved: 'Réservé à un autre compte.',
    taken: 'Un autre compte a déclaré le même nom.',
    'looks-like': (name: string) => `Ressemble à ${name} d’un autre compte.`,
    granted: 'Ce numéro est attribué à d’autres comptes.',
    ofAccount: (id: number) => ` (compte ${id})`,
    proof: 'Justificatif',
    file: 'Télécharger le fichier',
    countries: 'Pays',
    use: 'Usage',
    link: 'Page :',
    reason: 'Motif'
  }
)

export const STATE_COLORS = { waiting: 'orange', approved: 'green', refused: 'red', disabled: 'red' } as const
