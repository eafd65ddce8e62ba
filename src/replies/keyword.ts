import Type, { type Static } from 'typebox'

export interface Keyword {
  id: number
  number: string
  keyword: string
  question: string
  confirmation: string
  createdAt: Date
}

export interface OwnedKeyword extends Keyword {
  accountId: number
}

export const KeywordView = Type.Object(
  {
    id: Type.Integer(),
    number: Type.String({ description: 'The number that people write to.' }),
    keyword: Type.String({ description: 'The word, in capitals.' }),
    question: Type.String({ description: 'The SMS that asks to confirm. It is the wording of the consent.' }),
    confirmation: Type.String({ description: 'The SMS after the confirmation; empty for none.' }),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'ConsentKeyword' }
)

export function toKeywordView({ createdAt, ...keyword }: Keyword): Static<typeof KeywordView> {
  return { ...keyword, created_at: createdAt.toISOString() }
}

export const keywordExample: Static<typeof KeywordView> = {
  id: 3,
  number: '36111',
  keyword: 'JOIN',
  question: 'La Boutique : répondez OUI pour recevoir nos offres par SMS et RCS.',
  confirmation: 'Merci ! STOP 36111 pour ne plus rien recevoir.',
  created_at: '2026-11-15T09:30:00.000Z'
}
