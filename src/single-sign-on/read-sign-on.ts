import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { FindSite } from '../second-factors/site.ts'

export const readSignOn = (name: string | undefined, findSite: FindSite) =>
  operation({
    route: 'GET /auth/oidc',
    id: 'readSignOn',
    tag: 'Beyond',
    summary: 'Whether there is single sign-on',
    description:
      'The name of the OpenID provider, for the button of a log-in page; null without one, and at a host name that belongs to an account. The button leads to `/auth/oidc/start`.',
    isOpen: true,
    answer: Type.Object({ name: Nullable(Type.String()) }, { $id: 'SignOn' }),
    example: { answer: { name: 'Example Corp' } },
    refusals: { invalid_input: 'This is not an HTTP request, such as one with a broken header.' },
    async prepare({ origin }) {
      return findSite(origin)
    },
    async handle({ prepared: { familyId } }) {
      return { name: familyId === undefined ? (name ?? null) : null }
    }
  })
