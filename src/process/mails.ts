import { listParents } from '../accounts/accounts.store.ts'
import type { Config } from '../config.ts'
import { addInvitationToken } from '../invitations/invitations.store.ts'
import { type MintTokens, type NameService, startSendingMails } from '../mail/send-mails.ts'
import { mintLinkToken } from '../people/link-tokens.ts'
import { addResetToken } from '../people/password-resets.store.ts'
import type { SharedParts } from './shared-parts.ts'
import type { RunningPart } from './started-parts.ts'

/** Sends the mails that other parts have stored. */
export async function startMails(shared: SharedParts, settings: NonNullable<Config['mail']>): Promise<RunningPart> {
  const { pool, log } = shared
  // Its library is loaded only where mails are sent.
  const { createMailServer } = await import('../mail/smtp.ts')
  const mintTokens: MintTokens = {
    'password-reset': (id) => mintLinkToken(id, (token) => addResetToken(pool, token)),
    invitation: (id) => mintLinkToken(id, (token) => addInvitationToken(pool, token))
  }
  const nameService = createNameService(shared)
  return startSendingMails({ pool, server: createMailServer(settings), mintTokens, nameService, log })
}

/** The name of the service in mails. A sub-account has that of the account above it. */
function createNameService({ pool, looks }: SharedParts): NameService {
  return async (accountId) => {
    const topLevelId =
      accountId === null ? undefined : ((await listParents(pool, [accountId])).get(accountId) ?? accountId)
    return { name: looks.of(topLevelId).name, isOwn: looks.hasOwn(topLevelId) }
  }
}
