import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findLoginAccount, updateLastLogin } from './accounts.store.ts'
import { checkPassword } from './check-password.ts'
import type { Tokens } from './tokens.ts'

export const login = (tokens: Tokens) =>
  operation({
    route: 'POST /auth/login',
    id: 'login',
    tag: 'auth',
    summary: 'Log in',
    description:
      'Exchanges an email and a password for a token, to be sent as `Authorization: Bearer <token>`. After ten failures for one email within a minute, log-ins for that email are a 429 until the minute is over. After ten failures from one address, with any emails, log-ins from that address are answered more slowly.',
    isOpen: true,
    // A stranger may send this body, so its limit is low.
    bodyBytesMax: 16 * 1024,
    body: Type.Object(
      { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 1024 }) },
      { $id: 'LoginUserDto' }
    ),
    answer: Type.Object(
      {
        token: Type.String({ description: 'The token.' }),
        expiresIn: Type.Number({ description: 'How long it is valid, in seconds.' })
      },
      { $id: 'LoginResponseDto' }
    ),
    example: {
      body: { email: 'admin@chappe.local', password: 'correct horse battery' },
      answer: { token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', expiresIn: 3600 }
    },
    refusals: {
      unauthorized: 'The email or the password is wrong.',
      rate_limited:
        'Ten log-ins for this email have failed within a minute, or too many from this address wait for their answer.'
    },
    async prepare({ body, pool, address }) {
      const account = await findLoginAccount(pool, body.email)
      const isRight = await checkPassword(pool, { account, email: body.email, address, password: body.password })
      // The same answer for a wrong email and a wrong password: it must not tell which emails have an account.
      if (!account || !isRight) throw new Refusal(401, 'unauthorized', 'The email or the password is wrong.')
      return account
    },
    async handle({ prepared: account, database }) {
      await updateLastLogin(database, account.id)
      return {
        token: tokens.issue({ accountId: account.id, version: account.tokenVersion }),
        expiresIn: tokens.ttlSeconds
      }
    }
  })
