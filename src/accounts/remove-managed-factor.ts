import Type from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { momentInMail, nameInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { newsExpiry } from '../mail/news-expiry.ts'
import type { MailedLinks } from '../people/mailed-links.ts'
import { listAccountsOf } from '../people/memberships.store.ts'
import { findPerson } from '../people/people.store.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { Proof } from '../second-factors/second-factor.ts'
import { deleteFactors, lockFactors } from '../second-factors/second-factors.store.ts'
import type { Account } from './account.ts'
import { findAccount } from './accounts.store.ts'
import type { Callers } from './callers.ts'
import { type FindManaged, findForOperator, findForParent } from './managed-account.ts'
import { findManagedPerson, MANAGED_PERSON, MANAGED_PERSON_OF_OPERATOR, refuseElsewhere } from './managed-person.ts'
import { refuseKeysAndViewers } from './person-only.ts'

interface Parts {
  callers: Pick<Callers, 'forgetPerson'>
  links: MailedLinks
}

export const removeAccountFactor = (parts: Parts) =>
  removeManagedFactor(
    {
      route: 'POST /accounts/{id}/people/{person_id}/second-factor/remove',
      id: 'removeAccountFactor',
      summary: 'Remove the second factor of a person of an account (operator)',
      refusals: MANAGED_PERSON_OF_OPERATOR
    },
    { ...parts, find: findForOperator }
  )

export const removeSubAccountFactor = (parts: Parts) =>
  removeManagedFactor(
    {
      route: 'POST /subaccount/{id}/people/{person_id}/second-factor/remove',
      id: 'removeSubAccountFactor',
      summary: 'Remove the second factor of a person of a sub-account',
      refusals: MANAGED_PERSON
    },
    { ...parts, find: findForParent }
  )

function removeManagedFactor<
  Route extends `POST /${'accounts' | 'subaccount'}/{id}/people/{person_id}/second-factor/remove`
>(
  parts: { route: Route; id: string; summary: string; refusals: typeof MANAGED_PERSON },
  { find, callers, links }: Parts & { find: FindManaged }
) {
  return operation({
    ...parts,
    refusals: {
      ...parts.refusals,
      not_found: 'There is no such person on the account, or no second factor to remove.'
    },
    tag: 'Beyond',
    permission: 'people',
    description:
      'For a person who has lost the phone and the recovery codes. The app, passkeys and recovery codes of the person end; the password alone logs in, on all accounts of the person. The person gets a mail. A parent can do this only for a person whose accounts are all its sub-accounts. It needs a person who has logged in, with `current_password` or `code`.',
    body: Type.Object(Proof, { $id: 'SecondFactorRemovalFromAbove' }),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { success: true, message: 'The second factor is removed.' }
    },
    async prepare({ caller, body, pool, address }) {
      refuseKeysAndViewers(caller)
      await proveCaller(pool, caller, { address, body })
    },
    async handle({ caller, params, database, afterCommit, record }) {
      const { id, person_id: personId } = params as { id: number; person_id: number }
      afterCommit(() => callers.forgetPerson(personId))
      await database.begin(async (database) => {
        await lockFactors(database, personId)
        const { person } = await findManagedPerson(database, caller, { id, personId, find })
        await refuseElsewhere(database, caller, person)
        if (!person.hasSecondFactor) throw notFound('second factor')
        await deleteFactors(database, personId)
        // The person logs in to all of them with less than before.
        for (const accountId of await listAccountsOf(database, personId)) {
          const changes = { secondFactor: [true, false] as const }
          await record(database, { accountId, object: { kind: 'person', id: personId }, changes })
        }
        if (links.isOn) await mailRemoval(database, { caller, personId, links })
      })
      return { success: true, message: 'The second factor is removed.' }
    }
  })
}

async function mailRemoval(
  sql: Sql,
  { caller, personId, links }: { caller: Caller; personId: number; links: MailedLinks }
): Promise<void> {
  const person = await findPerson(sql, personId)
  const { socialReason, email } = (await findAccount(sql, caller.accountId)) as Account
  if (!person) return
  await queueMail(sql, {
    to: person.email,
    kind: 'second-factor-removed',
    language: person.language ?? 'en',
    facts: { at: momentInMail(databaseNow()), company: nameInMail(socialReason || email) },
    accountId: (await links.findFamily(sql, personId)) ?? null,
    expiresAt: newsExpiry()
  })
}
