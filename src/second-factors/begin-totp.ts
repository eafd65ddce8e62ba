import Type from 'typebox'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findPerson } from '../people/people.store.ts'
import { proveCaller } from './prove-again.ts'
import { Proof, personOf, proofRefusals } from './second-factor.ts'
import type { FindSite } from './site.ts'
import { insertTotpSecret } from './totp.store.ts'
import { newTotpSecret, totpUri } from './totp.ts'

export const beginTotp = (findSite: FindSite) =>
  operation({
    route: 'POST /users/me/second-factor/totp',
    id: 'beginTotp',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Begin with an authenticator app',
    description:
      'Makes a secret for an authenticator app (TOTP, RFC 6238), shown only here. It counts once a code of the app has confirmed it; until then, log-ins are as before, and another beginning replaces it. Needs the password.',
    body: Type.Object(Proof, { $id: 'TotpBeginning' }),
    answer: Type.Object(
      {
        secret: Type.String({ description: 'In base32, to be typed where no QR code can be read.' }),
        uri: Type.String({ description: 'The content of the QR code.' })
      },
      { $id: 'TotpSecret' }
    ),
    example: {
      body: { current_password: 'correct horse battery' },
      answer: {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Chappe:lea%40shop.example?issuer=Chappe&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30'
      }
    },
    refusals: { ...proofRefusals, state_conflict: 'An app is confirmed already: remove it first.' },
    async prepare({ caller, body, pool, address, origin }) {
      const { personId } = personOf(caller)
      await proveCaller(pool, caller, { address, body })
      return { personId, issuer: findSite(origin).name }
    },
    async handle({ prepared: { personId, issuer }, database }) {
      const person = await findPerson(database, personId)
      if (!person) throw notFound('person')
      const secret = newTotpSecret()
      const isStored = await insertTotpSecret(database, { personId, secret })
      if (!isStored)
        throw new Refusal(409, 'state_conflict', 'An authenticator app is set up already: remove it first.')
      return { secret, uri: totpUri(secret, { email: person.email, issuer }) }
    }
  })
