import { setTimeout as sleep } from 'node:timers/promises'
import { deleteReplacedKeys } from './accounts/api-keys.store.ts'
import { deleteOldAlarms } from './alarms/alarms.store.ts'
import { keepMonths } from './audit/keep-months.ts'
import { deleteOldAnswers } from './auto-replies/answers.store.ts'
import { deleteOldRuns } from './automations/automations.store.ts'
import { deleteOldCallbacks } from './callbacks/callbacks.store.ts'
import { deleteEndedCaptures } from './carriers/captures.store.ts'
import { deleteOldHistory } from './carriers/history.store.ts'
import { deleteOldVisitors } from './clicks/clicks.store.ts'
import { erasePeople } from './closing/erase-people.ts'
import type { Config } from './config.ts'
import { deleteOldRequests as deleteOldCreditRequests } from './credit-requests/credit-requests.store.ts'
import type { Pool } from './database/database.ts'
import { deleteExpiredAnswers } from './http/idempotent-answers.store.ts'
import type { Log } from './http/log.ts'
import { deleteOldInvitations } from './invitations/invitations.store.ts'
import { deleteOldMarketingUses } from './limits/caps.store.ts'
import { deleteOldUses } from './limits/uses.store.ts'
import { deleteExpiredMails } from './mail/mails.store.ts'
import { deleteOldNotices } from './notices/notices.store.ts'
import { deleteEndedAttempts } from './people/attempts.store.ts'
import { deleteExpiredResets } from './people/password-resets.store.ts'
import { deleteExpiredSessions } from './people/sessions.store.ts'
import { finishErasures } from './personal-data/finish-erasures.ts'
import { deleteOldPictures } from './pictures/pictures.store.ts'
import { deleteOldCharges, deleteOldRcsConversations } from './rcs-conversations/rcs-conversations.store.ts'
import { deleteOldPhoneAccounts } from './recipients/phone-accounts.store.ts'
import { deleteOldRequests } from './replies/consent-requests.store.ts'
import { deleteOldConversations } from './replies/conversation-states.store.ts'
import { deleteOldReplies } from './replies/retention.store.ts'
import { countGroups } from './results/count-groups.ts'
import { createDropRanges } from './retention/drop-ranges.ts'
import { createRemoveMessages } from './retention/remove-messages.ts'
import { deleteExpiredChallenges } from './second-factors/passkeys.store.ts'
import { deleteOldConfirmations } from './sends/confirmations.store.ts'
import { deleteOldDepartures } from './sends/departures.store.ts'
import { deleteOldDrafts } from './sends/drafts.store.ts'
import { deleteOldLinks } from './short-links/short-links.store.ts'
import { deleteExpiredSignOns } from './single-sign-on/sign-on.store.ts'
import { deleteLostBinds } from './smpp-outbox/binds.store.ts'
import { deleteOldBindDeliveries, deleteOldSubmits } from './smpp-outbox/outbox.store.ts'
import { deleteOldParts } from './smpp-server/parts.store.ts'
import { closeMonths } from './statements/close-months.ts'
import { foldCredits } from './statements/fold-credits.ts'
import { foldFigures } from './stats/fold-figures.ts'
import { deleteOldOptOuts } from './stops/opt-outs.store.ts'
import { deleteOldTrials } from './trials/trials.store.ts'
import { deleteOldDeliveries, deleteOldEvents, dropOldEvents } from './webhooks/retention.store.ts'
import { deleteLeftovers } from './webhooks/webhooks.store.ts'
import { doEachStep, type Step } from './workers/each-step.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS } from './workers/loop.ts'

/* The worker that removes old data of all domains, a little at a time. */

const PAUSE_MS = 60_000
const BATCH = 1_000
const REST_MAX_MS = 1_000
/** A question is open for three days; afterwards only the consent counts. */
const REQUESTS_DAYS = 30
/** A repeat of a part comes within minutes. */
const JOINED_SECONDS = 600

export function startCleaning(
  pool: Pool,
  { config, log, onFailed }: { config: Config; log: Log; onFailed(step: string): void }
): RunningWorker {
  const steps = cleaningSteps(pool, config)
  return startWorker({
    name: 'cleaning',
    work: () => withRest(() => doEachStep(steps, { log, onFailed })),
    pauseMs: PAUSE_MS,
    firstPauseMs: UPKEEP_FIRST_PAUSE_MS,
    log
  })
}

function cleaningSteps(
  pool: Pool,
  { retentionDays: days, auditRetentionDays, smppReceiptHours: hours, issuer }: Config
): Step[] {
  const messages = createRemoveMessages(pool, { days })
  const ranges = createDropRanges(pool, { days })
  const retention = { days, limit: BATCH }
  const remove = (name: string, work: () => Promise<number>): Step => ({
    name,
    work: async () => ({ isMoreDue: (await work()) === BATCH })
  })
  const once = (name: string, work: () => Promise<unknown>): Step => ({
    name,
    work: async () => {
      await work()
      return { isMoreDue: false }
    }
  })
  return [
    { name: 'pending erasures', work: () => finishErasures(pool) },
    once('figures of carriers', () => deleteOldHistory(pool)),
    // Delivery deletes them at once, where it runs.
    once('captured PDUs', () => pool.begin(deleteEndedCaptures)),
    once('counted attempts', () => deleteEndedAttempts(pool)),
    once('replaced keys', () => deleteReplacedKeys(pool)),
    once('uses of limits', () => deleteOldUses(pool)),
    once('uses of caps', () => deleteOldMarketingUses(pool)),
    once('requests for consent', () => deleteOldRequests(pool, REQUESTS_DAYS)),
    remove('opt-outs', () => deleteOldOptOuts(pool, retention)),
    once('expired sessions', () => deleteExpiredSessions(pool)),
    once('months of the audit trail', () => keepMonths(pool, { days: auditRetentionDays })),
    once('challenges of passkeys', () => deleteExpiredChallenges(pool)),
    once('unfinished single sign-ons', () => deleteExpiredSignOns(pool)),
    once('links to choose a password', () => deleteExpiredResets(pool)),
    once('old invitations', () => deleteOldInvitations(pool)),
    once('mails that were not sent', () => deleteExpiredMails(pool)),
    once('confirmations of sends', () => deleteOldConfirmations(pool)),
    once('queues of removed webhooks', () => deleteLeftovers(pool)),
    once('binds of processes that are gone', () => deleteLostBinds(pool)),
    once('parts of SMPP messages', () => deleteOldParts(pool, { joinedSeconds: JOINED_SECONDS, lostHours: hours })),
    remove('receipts that no bind took', () => deleteOldBindDeliveries(pool, { hours, limit: BATCH })),
    remove('wishes of SMPP submits', () => deleteOldSubmits(pool, retention)),
    remove('idempotent answers', () => deleteExpiredAnswers(pool, BATCH)),
    remove('events', () => deleteOldEvents(pool, retention)),
    once('ranges of events', () => dropOldEvents(pool, retention)),
    remove('webhook deliveries', () => deleteOldDeliveries(pool, retention)),
    remove('callbacks', () => deleteOldCallbacks(pool, BATCH)),
    remove('short links', () => deleteOldLinks(pool, retention)),
    remove('link visitors', () => deleteOldVisitors(pool, retention)),
    remove('people of closed accounts', () => erasePeople(pool, retention)),
    remove('replies', () => deleteOldReplies(pool, retention)),
    remove('answers of auto-replies', () => deleteOldAnswers(pool, retention)),
    remove('runs of automations', () => deleteOldRuns(pool, retention)),
    remove('alarms', () => deleteOldAlarms(pool, retention)),
    remove('notices', () => deleteOldNotices(pool, retention)),
    remove('requests for credits', () => deleteOldCreditRequests(pool, retention)),
    remove('trials', () => deleteOldTrials(pool, retention)),
    remove('pictures', () => deleteOldPictures(pool, retention)),
    remove('refused departures', () => deleteOldDepartures(pool, retention)),
    remove('drafts', () => deleteOldDrafts(pool, retention)),
    remove('states of conversations', () => deleteOldConversations(pool, retention)),
    remove('conversations by RCS', () => deleteOldRcsConversations(pool, retention)),
    remove('charges of conversations', () => deleteOldCharges(pool, retention)),
    { name: 'figures of credits', work: () => foldCredits(pool) },
    { name: 'statements', work: () => closeMonths(pool, { issuer }) },
    // Messages are hidden only after their figures are kept elsewhere.
    { name: 'figures', work: () => foldFigures(pool) },
    { name: 'recipients by country, carrier and error', work: () => countGroups(pool) },
    { name: 'old messages', work: () => messages.hideOld() },
    { name: 'ranges of messages', work: () => ranges.dropOldest() },
    { name: 'recipients of removed messages', work: () => messages.removeSlice() },
    remove('phones of removed messages', () => deleteOldPhoneAccounts(pool, retention))
  ]
}

/** However much there is to remove, half of the time is left for delivery. */
async function withRest(work: () => Promise<{ isMoreDue: boolean }>): Promise<{ isMoreDue: boolean }> {
  const startedAt = performance.now()
  const { isMoreDue } = await work()
  if (isMoreDue) await sleep(Math.min(performance.now() - startedAt, REST_MAX_MS))
  return { isMoreDue }
}
