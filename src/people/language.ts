import Type from 'typebox'

export const LanguageSchema = (description: string) => Type.Enum(['en', 'fr'], { description })
