import { defineWords } from '../../lib/language.ts'

export const standingWords = defineWords(
  { open: 'Open', suspended: 'Suspended', closed: 'Closed' },
  { open: 'Ouvert', suspended: 'Suspendu', closed: 'Fermé' }
)

export const STANDING_COLORS = { open: 'green', suspended: 'orange', closed: 'gray' } as const
