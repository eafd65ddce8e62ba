import Type, { type Static } from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { LookView, lookExample } from './look.ts'
import { deleteLook, findLook, notifyLooksChanged, updateLogo, upsertLook } from './looks.store.ts'
import { LOGO_LENGTH_MAX, readLogo } from './read-logo.ts'
import { type LookParts, toLookView } from './read-look.ts'

const TOP_LEVEL_ONLY = 'Only a top-level account has a look; its sub-accounts share it.'

const LookChange = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 40, description: 'One line, such as Agence Durand.' }),
    colour: Nullable(
      Type.String({
        pattern: '^#[0-9A-Fa-f]{6}$',
        'x-words': 'a colour such as #a61e4d',
        description: 'Red, green and blue in hexadecimal; null for Chappe’s blue.'
      })
    ),
    logo: Type.Optional(
      Nullable(
        Type.String({
          maxLength: LOGO_LENGTH_MAX,
          description:
            'A PNG or JPEG in base64, of at most 128 KiB and 1,024 pixels a side. Null removes the logo; without this field it stays.'
        })
      )
    )
  },
  { $id: 'LookChange' }
)

export const changeLook = (parts: LookParts) =>
  operation({
    route: 'PUT /look',
    id: 'changeLook',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Choose the look of my console',
    description:
      'From now on the console at the account’s host names, and mails about the account and its sub-accounts, show this name. Any colour can be read: the console makes lighter and darker shades of it. The logo is shown beside the name, 28 pixels high.',
    body: LookChange,
    answer: LookView,
    example: { body: { name: 'Agence Durand', colour: '#a61e4d' }, answer: lookExample },
    refusals: { forbidden: TOP_LEVEL_ONLY },
    async handle({ caller, body, database, afterCommit, record }) {
      const accountId = topLevelOf(caller)
      const name = readName(body.name)
      const colour = body.colour?.toLowerCase() ?? null
      const logo = body.logo === undefined || body.logo === null ? body.logo : readLogo(body.logo)
      return database.begin(async (database) => {
        await lockAccount(database, accountId)
        const before = await findLook(database, accountId)
        await upsertLook(database, { accountId, name, colour })
        if (logo !== undefined) await updateLogo(database, { accountId, logo })
        await record(database, {
          object: { kind: 'account', id: accountId },
          changes: {
            name: [before?.name ?? null, name],
            colour: [before?.colour ?? null, colour],
            ...(logo !== undefined && { logo: 'hidden' })
          }
        })
        return finishChange(database, parts, { accountId, afterCommit })
      })
    }
  })

export const removeLook = (parts: LookParts) =>
  operation({
    route: 'DELETE /look',
    id: 'removeLook',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Go back to the look of the operator',
    description: 'Removes the name, the colour and the logo. The host names stay, and show the look of the operator.',
    answer: LookView,
    example: { answer: { ...lookExample, is_own: false, name: 'Chappe', colour: null, logo_path: null } },
    refusals: { forbidden: TOP_LEVEL_ONLY },
    async handle({ caller, database, afterCommit, record }) {
      const accountId = topLevelOf(caller)
      return database.begin(async (database) => {
        await lockAccount(database, accountId)
        const before = await findLook(database, accountId)
        await deleteLook(database, accountId)
        await record(database, {
          object: { kind: 'account', id: accountId },
          changes: { name: [before?.name ?? null, null] }
        })
        return finishChange(database, parts, { accountId, afterCommit })
      })
    }
  })

function topLevelOf({ accountId, parentId }: Caller): number {
  if (parentId !== null) throw new Refusal(403, 'forbidden', TOP_LEVEL_ONLY)
  return accountId
}

/** One line: a name stands in the subjects of mails. */
function readName(text: string): string {
  const name = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  if (name === '') throw invalidInput([{ path: 'name', message: 'must have letters, such as Agence Durand' }])
  return name
}

/** The look as it is now, which every process is told of. */
async function finishChange(
  sql: Sql,
  parts: LookParts,
  { accountId, afterCommit }: { accountId: number; afterCommit(work: () => void): void }
): Promise<Static<typeof LookView>> {
  await notifyLooksChanged(sql)
  const look = await findLook(sql, accountId)
  afterCommit(() => parts.looks.applyLook(accountId, look))
  return toLookView(parts, accountId, look)
}
