import { counted, defineWords } from '../../lib/language.ts'

export const requestWords = defineWords(
  {
    states: { waiting: 'Waiting', given: 'Given', declined: 'Declined', withdrawn: 'Withdrawn' },
    amount: (count: number, type: string) => counted('en', count, `${type} credit`, `${type} credits`),
    asked: (when: string) => `Asked on ${when}`,
    note: 'Note',
    answer: 'Answer',
    back: 'Back',
    pages: 'Pages'
  },
  {
    states: { waiting: 'En attente', given: 'Accordée', declined: 'Refusée', withdrawn: 'Retirée' },
    amount: (count: number, type: string) => counted('fr', count, `crédit ${type}`, `crédits ${type}`),
    asked: (when: string) => `Demandé le ${when}`,
    note: 'Note',
    answer: 'Réponse',
    back: 'Retour',
    pages: 'Pages'
  }
)
