import { operation } from '../http/operation.ts'
import { MeView, type Surroundings, toMeView } from './account.ts'
import { meExample } from './examples.ts'
import { findMe } from './me.ts'

export const readMe = (surroundings: Surroundings) =>
  operation({
    route: 'GET /users/me',
    id: 'readMe',
    tag: 'Beyond',
    permission: 'any',
    summary: 'My account',
    description:
      'The account that asks, with its settings, and the person who does. With a key, that is the person who holds the account.',
    answer: MeView,
    example: { answer: meExample },
    async handle({ caller, database }) {
      return toMeView(await findMe(database, caller), surroundings)
    }
  })
