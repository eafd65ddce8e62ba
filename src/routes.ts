import { extractAccounts, listAccounts, readAccount } from './account-lists/list-accounts.ts'
import { extractSubAccounts, pageSubAccounts, readSubAccountOverview } from './account-lists/page-sub-accounts.ts'
import type { RoutedAccount } from './accounts/account.ts'
import type { Callers } from './accounts/callers.ts'
import { changeCreditsMode } from './accounts/change-credits-mode.ts'
import { changeKey } from './accounts/change-key.ts'
import { changeMe } from './accounts/change-me.ts'
import { changeAccountNote, changeSubAccountNote } from './accounts/change-note.ts'
import { changePersonRole } from './accounts/change-person-role.ts'
import { changeAccountStanding, changeSubAccountStanding } from './accounts/change-standing.ts'
import { createAccount } from './accounts/create-account.ts'
import { createKey } from './accounts/create-key.ts'
import { createSubAccount } from './accounts/create-sub-account.ts'
import { deleteKey } from './accounts/delete-key.ts'
import { endOtherSessions } from './accounts/end-other-sessions.ts'
import { endSession } from './accounts/end-session.ts'
import { leaveAccount } from './accounts/leave-account.ts'
import type { LimitDefaults } from './accounts/limits.ts'
import { listKeys } from './accounts/list-keys.ts'
import { listAccountPeople, listSubAccountPeople } from './accounts/list-managed-people.ts'
import { listMyAccounts } from './accounts/list-my-accounts.ts'
import { listPeople } from './accounts/list-people.ts'
import { listMySessions } from './accounts/list-sessions.ts'
import { listSubAccounts } from './accounts/list-sub-accounts.ts'
import { logOut } from './accounts/log-out.ts'
import { login } from './accounts/login.ts'
import { readMe } from './accounts/read-me.ts'
import { readSubAccount } from './accounts/read-sub-account.ts'
import { readSubAccountUser } from './accounts/read-sub-account-user.ts'
import { removeAccountFactor, removeSubAccountFactor } from './accounts/remove-managed-factor.ts'
import { removePerson } from './accounts/remove-person.ts'
import { renewAccountKey, renewSubAccountKey } from './accounts/renew-first-key.ts'
import { requireSecondFactor } from './accounts/require-second-factor.ts'
import { resetAccountPassword, resetSubAccountPassword } from './accounts/reset-managed-password.ts'
import { rotateApiKey } from './accounts/rotate-api-key.ts'
import { rotateKey } from './accounts/rotate-key.ts'
import { switchAccount } from './accounts/switch-account.ts'
import { viewAccount, viewSubAccount } from './accounts/view-account.ts'
import type { AgentGrants } from './agents/agent-grants.ts'
import { changeAgent } from './agents/change-agent.ts'
import { grantAgent } from './agents/grant-agent.ts'
import { listAgentGrants } from './agents/list-agent-grants.ts'
import { listMyAgents } from './agents/list-agents.ts'
import { revokeAgent } from './agents/revoke-agent.ts'
import { AlarmEvent, alarmEventExample } from './alarms/alarm.ts'
import { listAlarms } from './alarms/list-alarms.ts'
import { createAutoReply } from './auto-replies/create-auto-reply.ts'
import { deleteAutoReply } from './auto-replies/delete-auto-reply.ts'
import { listAutoReplies } from './auto-replies/list-auto-replies.ts'
import { pageAutoReplyAnswers } from './auto-replies/page-answers.ts'
import { readAutoReply } from './auto-replies/read-auto-reply.ts'
import { updateAutoReply } from './auto-replies/update-auto-reply.ts'
import { carrySchedules } from './automations/carry-schedules.ts'
import { createAutomation } from './automations/create-automation.ts'
import { deleteAutomation } from './automations/delete-automation.ts'
import { listAutomations } from './automations/list-automations.ts'
import { pageAutomationRuns } from './automations/page-runs.ts'
import { readAutomation } from './automations/read-automation.ts'
import { updateAutomation } from './automations/update-automation.ts'
import { changeCarrierCapture } from './carriers/change-capture.ts'
import { changeCarrierSending } from './carriers/change-sending.ts'
import { explainRoute } from './carriers/explain-route.ts'
import type { CallbackContext } from './carriers/kind.ts'
import { listCarriers } from './carriers/list-carriers.ts'
import { listRoutes } from './carriers/list-routes.ts'
import { readCarrierCapture } from './carriers/read-capture.ts'
import { readCarrierHistory } from './carriers/read-history.ts'
import { readQueue } from './carriers/read-queue.ts'
import type { RoutingTable } from './carriers/routing-table.ts'
import { ClickView } from './clicks/click.ts'
import { listCountryRules } from './compliance/list-country-rules.ts'
import { addConsents } from './consents/add-consents.ts'
import { ConsentView, consentExample } from './consents/consent.ts'
import { extractConsents, extractPersonConsents } from './consents/extract-consents.ts'
import { importConsents } from './consents/import-consents.ts'
import { listConsents } from './consents/list-consents.ts'
import { withdrawConsent } from './consents/withdraw-consent.ts'
import { addContacts } from './contacts/add-contacts.ts'
import { createContactList } from './contacts/create-contact-list.ts'
import { deleteContact } from './contacts/delete-contact.ts'
import { deleteContactList } from './contacts/delete-contact-list.ts'
import { extractContacts } from './contacts/extract-contacts.ts'
import { findContacts } from './contacts/find-contacts.ts'
import { importContacts } from './contacts/import-contacts.ts'
import { listContactLists } from './contacts/list-contact-lists.ts'
import { listContactNames } from './contacts/list-contact-names.ts'
import { pageContacts } from './contacts/page-contacts.ts'
import { previewContacts } from './contacts/preview-contacts.ts'
import { readContact } from './contacts/read-contact.ts'
import { readContactList } from './contacts/read-contact-list.ts'
import { updateContact } from './contacts/update-contact.ts'
import { updateContactList } from './contacts/update-contact-list.ts'
import { extractCarrierCosts, importCarrierCosts } from './costs/import-costs.ts'
import { answerCreditRequest } from './credit-requests/answer-request.ts'
import { askForCredits } from './credit-requests/ask-for-credits.ts'
import { CreditRequestEvent, eventExample as creditRequestExample } from './credit-requests/credit-request.ts'
import { listCreditRequests, listReceivedRequests } from './credit-requests/list-requests.ts'
import { withdrawCreditRequest } from './credit-requests/withdraw-request.ts'
import { addSubAccountCredits } from './credits/add-sub-account-credits.ts'
import { adjustAccountCredits } from './credits/adjust-account-credits.ts'
import { listCreditEntries, listSubAccountCreditEntries } from './credits/list-credit-entries.ts'
import { readCredits } from './credits/read-credits.ts'
import { readSubAccountCredits } from './credits/read-sub-account-credits.ts'
import { removeSubAccountCredits } from './credits/remove-sub-account-credits.ts'
import type { Pool } from './database/database.ts'
import type { ConsentMode } from './http/consent-mode.ts'
import type { EventDescription } from './http/openapi.ts'
import type { Operation } from './http/operation.ts'
import { acceptInvitation } from './invitations/accept-invitation.ts'
import { invitePerson } from './invitations/invite-person.ts'
import { joinAccount } from './invitations/join-account.ts'
import { listInvitations } from './invitations/list-invitations.ts'
import { lookAtInvitation } from './invitations/look-at-invitation.ts'
import { withdrawInvitation } from './invitations/withdraw-invitation.ts'
import { changeAccountLimits, changeSubAccountLimits } from './limits/change-limits.ts'
import { BalanceAlertView, LimitAlertView } from './limits/raise-alerts.ts'
import { readAccountLimits, readLimits, readSubAccountLimits } from './limits/read-limits.ts'
import { carryDayUse } from './limits/uses.store.ts'
import { changeAccountHosts, readAccountHosts } from './looks/change-hosts.ts'
import { changeLook, removeLook } from './looks/change-look.ts'
import { type LookParts, readLook } from './looks/read-look.ts'
import { listCreditPrices, setAccountCreditPrice, setSubAccountCreditPrice } from './margins/credit-money.ts'
import { extractMargins } from './margins/extract-margins.ts'
import { listMessages } from './messages/list-messages.ts'
import { MessageView, messageExample } from './messages/message-view.ts'
import { readMessage } from './messages/read-message.ts'
import { readRcsMessage } from './messages/read-rcs-message.ts'
import { listNotices } from './notices/list-notices.ts'
import { markNoticesRead } from './notices/mark-notices-read.ts'
import { extractMessageConsents } from './opt-outs/extract-message-consents.ts'
import { readMessageOptOuts } from './opt-outs/read-message-opt-outs.ts'
import { readOptOutRates } from './opt-outs/read-opt-out-rates.ts'
import { forgotPassword } from './people/forgot-password.ts'
import type { MailedLinks } from './people/mailed-links.ts'
import { resetPassword } from './people/reset-password.ts'
import type { Tokens } from './people/tokens.ts'
import { eraseNumber } from './personal-data/erase-number.ts'
import { exportNumber } from './personal-data/export-number.ts'
import { addPicture } from './pictures/add-picture.ts'
import { deletePicture } from './pictures/delete-picture.ts'
import { listPictures } from './pictures/list-pictures.ts'
import type { ServiceUrl } from './pictures/picture.ts'
import { changePriceList } from './prices/change-price-list.ts'
import { createPriceList, followPriceList } from './prices/create-price-list.ts'
import { extractMyPrices } from './prices/extract-my-prices.ts'
import { extractPriceVersion, listPricedAccounts, listPriceLists } from './prices/list-price-lists.ts'
import type { PriceBookReader } from './prices/price-book.ts'
import { setAccountPriceList, setSubAccountPriceList } from './prices/set-price-list.ts'
import { readListReach } from './rcs-lists/read-list-reach.ts'
import { listUnmatchedReceipts } from './receipts/list-unmatched-receipts.ts'
import { extractRcsRecipients } from './recipients/extract-rcs-recipients.ts'
import { extractSmsRecipients } from './recipients/extract-sms-recipients.ts'
import { pageRcsRecipients } from './recipients/page-rcs-recipients.ts'
import { pageSmsRecipients } from './recipients/page-sms-recipients.ts'
import { readTimeline } from './recipients/read-timeline.ts'
import { RcsRecipientView, recipientExample, SmsRecipientView } from './recipients/recipient-view.ts'
import { addKeyword } from './replies/add-keyword.ts'
import { createCannedReply } from './replies/create-canned-reply.ts'
import { deleteAnyKeyword } from './replies/delete-any-keyword.ts'
import { deleteCannedReply } from './replies/delete-canned-reply.ts'
import { deleteKeyword } from './replies/delete-keyword.ts'
import { extractReplies } from './replies/extract-replies.ts'
import { listCannedReplies } from './replies/list-canned-replies.ts'
import { listKeywords } from './replies/list-keywords.ts'
import { pageAllKeywords } from './replies/page-all-keywords.ts'
import { pageConversations } from './replies/page-conversations.ts'
import { pageReplies } from './replies/page-replies.ts'
import { readCannedReply } from './replies/read-canned-reply.ts'
import { ReplyView, replyExample } from './replies/reply.ts'
import { updateCannedReply } from './replies/update-canned-reply.ts'
import { updateConversation } from './replies/update-conversation.ts'
import { compareMessages } from './results/compare-messages.ts'
import { extractMessageResults } from './results/extract-message-results.ts'
import { extractPeriodResults } from './results/extract-period-results.ts'
import { listMessageResults } from './results/list-message-results.ts'
import { readMessageResults } from './results/read-message-results.ts'
import { readPeriodResults } from './results/read-period-results.ts'
import type { SandboxPhones } from './sandbox/phones.ts'
import { readPhone } from './sandbox/read-phone.ts'
import { replyFromPhone } from './sandbox/reply-from-phone.ts'
import { addPasskey } from './second-factors/add-passkey.ts'
import { beginPasskey } from './second-factors/begin-passkey.ts'
import { beginPasskeyLogin } from './second-factors/begin-passkey-login.ts'
import { beginTotp } from './second-factors/begin-totp.ts'
import { confirmTotp } from './second-factors/confirm-totp.ts'
import { readSecondFactor } from './second-factors/read-second-factor.ts'
import { removePasskey } from './second-factors/remove-passkey.ts'
import { removeTotp } from './second-factors/remove-totp.ts'
import { renewRecoveryCodes } from './second-factors/renew-recovery-codes.ts'
import type { FindSite } from './second-factors/site.ts'
import { countRules } from './segments/count-rules.ts'
import { countSegment } from './segments/count-segment.ts'
import { createSegment } from './segments/create-segment.ts'
import { deleteSegment } from './segments/delete-segment.ts'
import { listSegments } from './segments/list-segments.ts'
import { readSegment } from './segments/read-segment.ts'
import { updateSegment } from './segments/update-segment.ts'
import { addSenderProof } from './senders/add-proof.ts'
import { changeAccountSenderMode, changeSubAccountSenderMode } from './senders/change-mode.ts'
import { checkSenderName } from './senders/check-sender-name.ts'
import { decideAccountSender, decideSubAccountSender } from './senders/decide-sender.ts'
import { declareSender } from './senders/declare-sender.ts'
import { deleteSenderListEntry } from './senders/delete-sender-list-entry.ts'
import { grantNumber } from './senders/grant-number.ts'
import { importSenderList } from './senders/import-sender-list.ts'
import { listNumbers } from './senders/list-numbers.ts'
import { listSenders } from './senders/list-senders.ts'
import { pageSenderRequests } from './senders/page-requests.ts'
import { pageSenderLists } from './senders/page-sender-lists.ts'
import { readAccountSenderMode, readSubAccountSenderMode } from './senders/read-mode.ts'
import { readAccountSenderProof, readSenderProof, readSubAccountSenderProof } from './senders/read-proof.ts'
import { readSender } from './senders/read-sender.ts'
import type { SenderRegisterReader } from './senders/register.ts'
import { withdrawSender } from './senders/withdraw-sender.ts'
import { cancelMessage } from './sends/cancel-message.ts'
import { createDraft } from './sends/create-draft.ts'
import { deleteDraft } from './sends/delete-draft.ts'
import { labelMessage } from './sends/label-message.ts'
import { listDrafts } from './sends/list-drafts.ts'
import { pauseMessage } from './sends/pause-message.ts'
import { readCalendar } from './sends/read-calendar.ts'
import { readDraft } from './sends/read-draft.ts'
import { readForecast } from './sends/read-forecast.ts'
import { readMessageDeparture } from './sends/read-message-departure.ts'
import { readMessageForm } from './sends/read-message-form.ts'
import { resendMessage } from './sends/resend-message.ts'
import { resumeMessage } from './sends/resume-message.ts'
import { sendRcs } from './sends/send-rcs.ts'
import { sendRcsFile } from './sends/send-rcs-file.ts'
import { type Sending, sendSms, sendSmsOldWay } from './sends/send-sms.ts'
import { sendSmsDynamic } from './sends/send-sms-dynamic.ts'
import { sendSmsFile } from './sends/send-sms-file.ts'
import { sendSmsToLists, sendSmsToListsOldWay } from './sends/send-sms-to-lists.ts'
import { testCarrier } from './sends/test-carrier.ts'
import { updateDraft } from './sends/update-draft.ts'
import { openSignOnSession } from './single-sign-on/open-sign-on-session.ts'
import type { ProviderSettings } from './single-sign-on/provider.ts'
import { readSignOn } from './single-sign-on/read-sign-on.ts'
import { changeSmppCredential } from './smpp-server/change-smpp-credential.ts'
import { createSmppCredential } from './smpp-server/create-smpp-credential.ts'
import { deleteSmppCredential } from './smpp-server/delete-smpp-credential.ts'
import { listSmppBinds } from './smpp-server/list-smpp-binds.ts'
import { listSmppCredentials } from './smpp-server/list-smpp-credentials.ts'
import { readSmppServer, type SmppAddress } from './smpp-server/read-smpp-server.ts'
import { rotateSmppCredential } from './smpp-server/rotate-smpp-credential.ts'
import { extractCreditUses } from './statements/extract-credit-uses.ts'
import type { StatementIssuer } from './statements/issuer.ts'
import { extractStatement, listStatements, readStatement } from './statements/read-statements.ts'
import { readDailyStats } from './stats/read-daily-stats.ts'
import { addStop } from './stops/add-stop.ts'
import { deleteStop } from './stops/delete-stop.ts'
import { importOperatorStops } from './stops/import-operator-stops.ts'
import { importStops } from './stops/import-stops.ts'
import { listStops } from './stops/list-stops.ts'
import { addOperatorStop, deleteOperatorStop, listOperatorStops } from './stops/operator-stops.ts'
import { StopView, stopExample } from './stops/stop.ts'
import { lookUpNumber } from './support/look-up-number.ts'
import { createRcsTemplate } from './templates/create-rcs-template.ts'
import { createSmsTemplate } from './templates/create-sms-template.ts'
import { deleteTemplate } from './templates/delete-template.ts'
import { listRcsTemplates } from './templates/list-rcs-templates.ts'
import { listSmsTemplates } from './templates/list-sms-templates.ts'
import { readRcsTemplate } from './templates/read-rcs-template.ts'
import { readSmsTemplate } from './templates/read-sms-template.ts'
import { updateRcsTemplate } from './templates/update-rcs-template.ts'
import { updateSmsTemplate } from './templates/update-sms-template.ts'
import { extractAudit } from './trail/extract-audit.ts'
import { pageAudit } from './trail/page-audit.ts'
import { cancelTrial } from './trials/cancel-trial.ts'
import { chooseVariant } from './trials/choose-variant.ts'
import { createTrial } from './trials/create-trial.ts'
import { listTrials } from './trials/list-trials.ts'
import { readTrial } from './trials/read-trial.ts'
import type { EventType } from './webhooks/event-type.ts'
import { pageDeliveries } from './webhooks/page-deliveries.ts'
import { readEvents } from './webhooks/read-events.ts'
import { readWebhooks } from './webhooks/read-webhooks.ts'
import { replaceWebhooks } from './webhooks/replace-webhooks.ts'
import { replayDeliveries } from './webhooks/replay-deliveries.ts'
import { replayDelivery } from './webhooks/replay-delivery.ts'
import { rotateSecret } from './webhooks/rotate-secret.ts'
import { streamEvents } from './webhooks/stream-events.ts'
import { type EventExamples, testWebhook } from './webhooks/test-webhook.ts'

/** What the operations need beyond a request. */
export interface Dependencies {
  pool: Pool
  tokens: Tokens
  callers: Callers
  /** The web site of a request. */
  findSite: FindSite
  /** The address under which everybody reaches this service. */
  serviceUrl: ServiceUrl
  /** The operator, as statements name it. */
  issuer: StatementIssuer
  /** The OpenID provider, if the settings name one. */
  signOn: ProviderSettings | undefined
  /** The limits of accounts that have none of their own. */
  limitDefaults: LimitDefaults
  /** The least strict mode of consent. */
  consent: ConsentMode
  /** Who may use which sender. */
  register: SenderRegisterReader
  /** The looks of top-level accounts, and the addresses that go with them. */
  looks: LookParts & { ownHosts: readonly string[] }
  /** The links that are mailed to people. */
  links: MailedLinks
  sending: Sending
  routing: RoutingTable
  agents: AgentGrants
  prices: PriceBookReader
  /** Where the news of peers that call us over HTTP goes, and where it is counted and logged. */
  callbacks: Omit<CallbackContext<never>, 'carriers'>
  webhooks: {
    /** Whether receivers may be on private addresses. */
    allowPrivate: boolean
    /** Wakes those who tell webhooks. */
    onQueued: () => void
  }
  /** Where customers bind over SMPP, if they can. */
  smppAddress(): SmppAddress | undefined
  /** Only in the sandbox. */
  phones: SandboxPhones | undefined
}

/** Every operation of the service, by domain. `npm run routes` prints them. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list, which grows by a line for each operation.
export function listOperations(dependencies: Dependencies): Operation[] {
  const {
    pool,
    tokens,
    callers,
    findSite,
    serviceUrl,
    signOn,
    limitDefaults,
    looks,
    links,
    sending,
    routing,
    agents,
    prices,
    register,
    callbacks,
    webhooks,
    phones
  } = dependencies
  const surroundings = {
    isSandbox: phones !== undefined,
    hasSmpp: dependencies.smppAddress() !== undefined,
    stopMention: (e164: string, account: RoutedAccount) =>
      routing.forMessage({ ...account, category: 'marketing' }).stopMention(e164),
    numbers: routing,
    consent: dependencies.consent,
    carryDayUse,
    carrySchedules
  }
  return [
    // accounts
    login(tokens, findSite),
    logOut(callers),
    requireSecondFactor(callers),
    readMe(surroundings),
    changeMe(callers, surroundings),
    rotateApiKey(callers),
    listKeys,
    createKey,
    changeKey(callers),
    deleteKey(callers),
    rotateKey(callers),
    // smpp-server
    listSmppCredentials,
    createSmppCredential,
    changeSmppCredential,
    deleteSmppCredential,
    rotateSmppCredential,
    listSmppBinds,
    readSmppServer(dependencies.smppAddress),
    // accounts
    createSubAccount,
    listSubAccounts,
    pageSubAccounts,
    extractSubAccounts,
    readSubAccountOverview,
    readSubAccount,
    readSubAccountUser,
    changeCreditsMode,
    listAccounts,
    extractAccounts,
    readAccount,
    createAccount,
    changeAccountStanding(callers),
    changeSubAccountStanding(callers),
    changeAccountNote,
    changeSubAccountNote,
    renewAccountKey(callers),
    renewSubAccountKey(callers),
    listAccountPeople,
    listSubAccountPeople,
    resetAccountPassword(links),
    resetSubAccountPassword(links),
    removeAccountFactor({ callers, links }),
    removeSubAccountFactor({ callers, links }),
    viewAccount(tokens),
    viewSubAccount(tokens),

    // looks
    readLook(looks),
    changeLook(looks),
    removeLook(looks),
    readAccountHosts,
    changeAccountHosts(looks),

    // support
    lookUpNumber,

    // people
    switchAccount(tokens, findSite),
    forgotPassword(links),
    resetPassword(links),
    listMyAccounts(findSite),
    leaveAccount(callers),
    listMySessions,
    endOtherSessions(callers),
    endSession(callers),
    listPeople,
    changePersonRole(callers),
    removePerson(callers),

    // invitations
    invitePerson(links),
    listInvitations,
    withdrawInvitation,
    lookAtInvitation,
    acceptInvitation,
    joinAccount,

    // single sign-on
    readSignOn(signOn?.name, findSite),
    openSignOnSession(tokens, { findSite, settings: signOn ?? { groups: [], sessionHours: 1 } }),

    // second factors
    beginPasskeyLogin(findSite),
    readSecondFactor,
    beginTotp(findSite),
    confirmTotp(callers),
    removeTotp(callers),
    renewRecoveryCodes,
    beginPasskey(findSite),
    addPasskey(callers, findSite),
    removePasskey(callers),

    // credits
    readCredits(pool),
    listCreditEntries,
    addSubAccountCredits,
    removeSubAccountCredits,
    readSubAccountCredits,
    listSubAccountCreditEntries,
    adjustAccountCredits,
    askForCredits(links),
    listCreditRequests,
    withdrawCreditRequest,
    listReceivedRequests,
    answerCreditRequest(links),
    listAlarms,
    listNotices,
    markNoticesRead,

    // statements
    listStatements,
    readStatement(dependencies.issuer),
    extractStatement(dependencies.issuer),
    extractCreditUses,

    // limits
    readLimits(limitDefaults),
    readAccountLimits(limitDefaults),
    changeAccountLimits(callers, limitDefaults),
    readSubAccountLimits(limitDefaults),
    changeSubAccountLimits(callers, limitDefaults),

    // senders
    listCountryRules,
    listSenders(register),
    declareSender(routing),
    checkSenderName(routing),
    readSender,
    withdrawSender,
    addSenderProof,
    readSenderProof,
    pageSenderRequests(register),
    decideAccountSender({ register, links }),
    decideSubAccountSender({ register, links }),
    readAccountSenderProof,
    readSubAccountSenderProof,
    readAccountSenderMode(register),
    changeAccountSenderMode(register),
    readSubAccountSenderMode(register),
    changeSubAccountSenderMode(register),
    pageSenderLists,
    importSenderList,
    deleteSenderListEntry,
    listNumbers(routing),
    grantNumber({ numbers: routing, register }),

    // contacts
    createContactList,
    listContactLists,
    updateContactList,
    readContactList,
    readListReach,
    deleteContactList,
    pageContacts,
    extractContacts,
    addContacts,
    findContacts,
    previewContacts,
    importContacts,
    updateContact,
    readContact,
    deleteContact,
    listContactNames,

    // segments
    createSegment,
    listSegments,
    updateSegment,
    readSegment,
    countSegment,
    countRules,
    deleteSegment,

    // automations
    createAutomation(sending),
    listAutomations,
    updateAutomation(sending),
    readAutomation,
    pageAutomationRuns,
    deleteAutomation,
    // trials
    createTrial(sending),
    listTrials,
    readTrial,
    chooseVariant(sending),
    cancelTrial,

    // auto-replies
    createAutoReply(sending),
    listAutoReplies,
    updateAutoReply(sending),
    readAutoReply,
    pageAutoReplyAnswers,
    deleteAutoReply,

    // stops
    listStops,
    addStop,
    importStops,
    deleteStop,

    listOperatorStops,
    addOperatorStop,
    importOperatorStops,
    deleteOperatorStop,
    readOptOutRates,
    readMessageOptOuts,

    // consents
    listConsents,
    addConsents,
    importConsents,
    extractConsents,
    extractPersonConsents,
    withdrawConsent,
    extractMessageConsents,
    listKeywords,
    addKeyword(routing),
    deleteKeyword,
    pageAllKeywords,
    deleteAnyKeyword,

    // templates
    createSmsTemplate(routing),
    listSmsTemplates,
    updateSmsTemplate(routing),
    readSmsTemplate,
    createRcsTemplate(routing),
    listRcsTemplates,
    updateRcsTemplate(routing),
    readRcsTemplate,
    deleteTemplate,

    // pictures
    addPicture(serviceUrl),
    listPictures(serviceUrl),
    deletePicture,

    // messages
    sendSms(sending),
    sendSmsDynamic(sending),
    sendSmsToLists(sending),
    sendSmsFile(sending),
    sendRcs(sending),
    sendRcsFile(sending),
    sendSmsOldWay(sending),
    sendSmsToListsOldWay(sending),
    listMessages,
    readMessage,
    readMessageDeparture,
    readCalendar,
    createDraft,
    listDrafts,
    readDraft,
    updateDraft,
    deleteDraft,
    cancelMessage,
    pauseMessage,
    resumeMessage,
    labelMessage,
    readForecast(sending),
    readMessageForm,
    resendMessage(sending),
    pageSmsRecipients,
    extractSmsRecipients,
    pageRcsRecipients,
    extractRcsRecipients,
    readRcsMessage,

    // replies
    pageReplies,
    extractReplies,
    pageConversations,
    updateConversation,
    listCannedReplies,
    createCannedReply,
    readCannedReply,
    updateCannedReply,
    deleteCannedReply,

    // delivery
    readTimeline,
    listCarriers(routing),
    changeCarrierSending(routing),
    readCarrierCapture(routing),
    changeCarrierCapture(routing),
    readCarrierHistory,
    readQueue(routing),
    listRoutes(routing),
    explainRoute(routing),

    // prices
    listPriceLists,
    listPricedAccounts,
    createPriceList(prices),
    followPriceList(prices),
    changePriceList(prices),
    extractPriceVersion,
    setAccountPriceList(prices),
    setSubAccountPriceList(prices),
    extractMyPrices(prices),
    importCarrierCosts,
    extractCarrierCosts,
    listCreditPrices,
    setAccountCreditPrice,
    setSubAccountCreditPrice,
    extractMargins,

    // agents
    listMyAgents(routing),
    listAgentGrants(routing),
    changeAgent(routing, agents),
    grantAgent(routing, agents),
    revokeAgent(routing, agents),
    testCarrier(sending),
    listUnmatchedReceipts,
    ...callbacksOf(routing, callbacks),

    // webhooks
    rotateSecret,
    pageDeliveries,
    readWebhooks,
    replaceWebhooks(webhooks),
    replayDelivery(webhooks),
    replayDeliveries(webhooks),
    testWebhook({ ...webhooks, examples: examplesOf(EVENTS) }),
    readEvents,
    streamEvents,

    // stats
    readDailyStats,
    readPeriodResults,
    listMessageResults,
    extractPeriodResults,
    compareMessages,
    readMessageResults,
    extractMessageResults,

    // audit trail
    pageAudit,
    extractAudit,

    // personal data
    exportNumber,
    eraseNumber,

    // sandbox
    ...(phones ? [readPhone(phones), replyFromPhone(phones)] : [])
  ]
}

/** The operations that peers of each kind of carrier call. */
function callbacksOf(routing: RoutingTable, context: Dependencies['callbacks']): Operation[] {
  return routing.kinds.flatMap(
    (kind) => kind.callbacks?.({ ...context, carriers: () => routing.settingsOf(kind) }) ?? []
  )
}

/** Every event that webhooks are told, with the record it carries. */
export const EVENTS: (EventDescription & { type: EventType })[] = [
  {
    type: 'replies',
    summary: 'A reply came in',
    description: 'Somebody wrote back, or wrote to one of our numbers.',
    record: ReplyView,
    example: replyExample
  },
  {
    type: 'stops',
    summary: 'A number was opted out',
    description: 'By a word, a link or a button, by hand or by file; `way` tells which.',
    record: StopView,
    example: stopExample
  },
  {
    type: 'starts',
    summary: 'A number undid its STOP',
    description: 'A reply said START: the STOP that the person had made is gone. The record is that STOP.',
    record: StopView,
    example: stopExample
  },
  {
    type: 'consents',
    summary: 'A consent was given or withdrawn',
    description: 'By API, file or keyword; `withdrawn_at` tells whether it was withdrawn.',
    record: ConsentView,
    example: consentExample
  },
  {
    type: 'sms_status',
    summary: 'An SMS moved on',
    description: 'A recipient of an SMS message was sent to, delivered, failed, cancelled or stopped.',
    record: SmsRecipientView,
    example: recipientExample
  },
  {
    type: 'rcs_status',
    summary: 'An RCS message moved on',
    description: 'A recipient of an RCS message was sent to, delivered, read, failed or fell back to SMS.',
    record: RcsRecipientView,
    example: { ...recipientExample, channel: 'rcs', read_at: null }
  },
  {
    type: 'clicks',
    summary: 'A tracked link was opened',
    description: 'Once per recipient and link; robots and previews are not counted.',
    record: ClickView,
    example: {
      message_id: 7,
      recipient: '+33639980001',
      url: 'https://shop.example/winter',
      timestamp: '2026-11-15T09:30:00.000Z'
    }
  },
  {
    type: 'message_state',
    summary: 'A message changed its state',
    description: 'A message began to leave, has left, was paused, resumed or cancelled, or failed.',
    record: MessageView,
    example: messageExample
  },
  {
    type: 'limits',
    summary: 'A limit is nearly or fully used',
    description: 'A limit of the account is used to 80 or to 100 percent. Told once for each, until it is over.',
    record: LimitAlertView,
    example: { limit: 'credits_per_day', level: 80, used: 8_000, max: 10_000, timestamp: '2026-11-15T09:30:00.000Z' }
  },
  {
    type: 'balances',
    summary: 'A balance is low',
    description: 'The credits are below the threshold that the account chose. Told once, until there are more again.',
    record: BalanceAlertView,
    example: { msgType: 1, credits: 90, threshold: 100, timestamp: '2026-11-15T09:30:00.000Z' }
  },
  {
    type: 'credit_requests',
    summary: 'Credits were asked for, or a request was answered',
    description:
      'An account that can answer is told of a new request, and when it is withdrawn. The account that asked is told of the answer.',
    record: CreditRequestEvent,
    example: creditRequestExample
  },
  {
    type: 'alarms',
    summary: 'An alarm was raised, or is over',
    description:
      'Something is wrong and has lasted: a webhook was disabled, a key ends soon and, for the operator, a carrier, a queue, a delivery rate, a certificate or space. Told once, and once more when it is over.',
    record: AlarmEvent,
    example: alarmEventExample
  }
]

/** As an event holds them: every one names a message, or says that there is none. */
function examplesOf(events: typeof EVENTS): EventExamples {
  return Object.fromEntries(
    events.map(({ type, example }) => [type, { message_id: 7, ...(example as object) }])
  ) as EventExamples
}
