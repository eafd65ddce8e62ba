import { strict as assert } from 'node:assert'
import { hashApiKey, newApiKey } from '../../src/accounts/api-key.ts'
import { insertApiKey } from '../../src/accounts/api-keys.store.ts'
import { PERMISSIONS, type Permission, permissionsOf } from '../../src/http/permission.ts'
import { insertMembership } from '../../src/people/memberships.store.ts'
import { insertPerson } from '../../src/people/people.store.ts'
import { ROLES, type Role } from '../../src/people/role.ts'
import { openSession } from '../../src/people/sessions.ts'
import { createTokens } from '../../src/people/tokens.ts'
import type { ApiClient } from '../service/api-client.ts'
import { startService, type TestService, test } from '../service/service.ts'

/* Every operation, asked by each role and by a key of each scope: who lacks its permission gets a 403 before anything else. */

/** What each operation needs; a new operation must be added, so that nobody chooses a permission without a thought. */
const NEEDED: Record<Permission | 'any', string> = {
  any: `logout readMe changeMe readSecondFactor beginTotp confirmTotp removeTotp renewRecoveryCodes beginPasskey addPasskey
    removePasskey switchAccount listMyAccounts leaveAccount listMySessions endOtherSessions endSession joinAccount listCountryRules readLook`,
  read: `readSmppServer listSubAccounts pageSubAccounts extractSubAccounts readSubAccountOverview readAccount extractAccounts readSubAccount SubaccountController_getUserInfo listAccounts readCredits
    listCreditEntries readSubAccountCredits listSubAccountCreditEntries listContactLists readContactList readListReach
    pageContacts extractContacts readContact listStops listSmsTemplates readSmsTemplate listRcsTemplates readRcsTemplate
    listMessages readMessage pageSmsRecipients extractSmsRecipients pageRcsRecipients extractRcsRecipients readRcsMessage
    pageReplies extractReplies pageConversations readTimeline listCarriers readCarrierHistory readQueue listRoutes explainRoute listAgents listAgentGrants listUnmatchedReceipts pageDeliveries
    readWebhooks readEvents streamEvents readDailyStats readPeriodResults listMessageResults extractPeriodResults compareMessages
    readMessageResults extractMessageResults exportNumber readPhone readLimits readAccountLimits
    readSubAccountLimits listPeople listInvitations listSenders checkSenderName readSender readSenderProof
    pageSenderRequests readAccountSenderProof readSubAccountSenderProof readAccountSenderMode readAccountHosts
    readSubAccountSenderMode pageSenderLists listNumbers listOperatorStops readOptOutRates readMessageOptOuts listConsents
    extractConsents extractPersonConsents extractMessageConsents listKeywords pageAllKeywords
    listSegments readSegment countSegment countRules readForecast readMessageForm readMessageDeparture listContactNames
    listPictures listDrafts readDraft listAutomations readAutomation pageAutomationRuns readCalendar
    listTrials readTrial listCreditRequests listReceivedRequests listAlarms listNotices markNoticesRead findContacts listStatements readStatement extractStatement extractCreditUses listCannedReplies readCannedReply
    listAutoReplies readAutoReply pageAutoReplyAnswers extractMyPrices`,
  send: `createSmsTemplate updateSmsTemplate createRcsTemplate updateRcsTemplate deleteTemplate addPicture deletePicture createAutomation updateAutomation deleteAutomation
    sendSmsFile sendRcsFile sendSmsOldWay cancelMessage pauseMessage resumeMessage labelMessage resendMessage
    replyFromPhone updateConversation updateDraft deleteDraft createTrial chooseVariant cancelTrial
    createCannedReply updateCannedReply deleteCannedReply createAutoReply updateAutoReply deleteAutoReply`,
  contacts: `createContactList updateContactList deleteContactList addContacts previewContacts importContacts
    updateContact deleteContact addStop importStops deleteStop addConsents importConsents withdrawConsent addKeyword
    deleteKeyword createSegment updateSegment deleteSegment`,
  webhooks: 'rotateSecret replaceWebhooks replayDelivery replayDeliveries testWebhook',
  account: `addOperatorStop importOperatorStops deleteOperatorStop createSubAccount changeCreditsMode createAccount addSubAccountCredits removeSubAccountCredits askForCredits withdrawCreditRequest answerCreditRequest
    adjustAccountCredits testCarrier changeCarrierSending readCarrierCapture changeCarrierCapture lookUpNumber eraseNumber changeAccountStanding changeSubAccountStanding changeAccountLimits
    declareSender withdrawSender addSenderProof decideAccountSender decideSubAccountSender changeAccountSenderMode
    changeSubAccountSenderMode importSenderList deleteSenderListEntry grantNumber deleteAnyKeyword
    changeSubAccountLimits changeAccountNote changeSubAccountNote viewAccount viewSubAccount changeAgent grantAgent revokeAgent
    listPriceLists listPricedAccounts createPriceList followPriceList changePriceList extractPriceVersion setAccountPriceList
    importCarrierCosts extractCarrierCosts listCreditPrices setAccountCreditPrice setSubAccountCreditPrice extractMargins
    setSubAccountPriceList changeLook removeLook changeAccountHosts`,
  people: `rotateApiKey requireSecondFactor pageAudit extractAudit invitePerson withdrawInvitation changePersonRole
    removePerson listKeys createKey changeKey deleteKey rotateKey renewAccountKey renewSubAccountKey
    listAccountPeople listSubAccountPeople resetAccountPassword resetSubAccountPassword removeAccountFactor
    removeSubAccountFactor listSmppCredentials createSmppCredential changeSmppCredential deleteSmppCredential
    rotateSmppCredential listSmppBinds`,
  // Only a part of the sends needs it.
  binary: '',
  send_confirmed: 'sendSms sendSmsDynamic sendSmsToLists sendSmsToListsOldWay sendRcs createDraft'
}

interface Operation {
  id: string
  method: string
  path: string
  permission: Permission | 'any' | undefined
}

async function readOperations(service: TestService): Promise<Operation[]> {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-permission'?: Permission | 'any' }>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, 'x-permission': permission }]) => {
      return { id, method, path, permission }
    })
  )
}

test('each operation needs the permission that was thought of for it', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const needed = Object.fromEntries(
    Object.entries(NEEDED).flatMap(([permission, ids]) =>
      ids
        .split(/\s+/)
        .filter(Boolean)
        .map((id) => [id, permission])
    )
  )
  const operations = (await readOperations(service)).filter(({ permission }) => permission !== undefined)
  assert.ok(operations.length > 80)
  assert.deepEqual(Object.fromEntries(operations.map(({ id, permission }) => [id, permission])), needed)
})

test('who lacks the permission of an operation gets a 403, by role and by scope, and everybody else passes', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await service.newAccount()
  const tokens = await createTokens(service.pool, { dataFolder: service.dataFolder, ttlSeconds: 600 })
  const askers: { name: string; client: ApiClient; permissions: ReadonlySet<Permission> }[] = []
  for (const role of Object.keys(ROLES) as Role[]) {
    const client = await logInAs(service, { tokens, accountId: account.id, role })
    askers.push({ name: role, client, permissions: new Set<Permission>(ROLES[role]) })
  }
  for (const scope of Object.keys(PERMISSIONS) as Permission[]) {
    const client = await keyWith(service, { accountId: account.id, scopes: [scope] })
    askers.push({ name: `a key for ${scope}`, client, permissions: permissionsOf([scope]) })
  }
  const operations = (await readOperations(service)).filter(({ permission }) => permission !== undefined)
  let refused = 0
  for (const { id, method, path, permission } of operations) {
    // They would end the session or the key, never end, or have a rule of their own.
    if (['logout', 'streamEvents', 'rotateApiKey', 'changeMe', 'leaveAccount'].includes(id)) continue
    for (const { name, client, permissions } of askers) {
      const isAllowed = permission === 'any' || permissions.has(permission as Permission)
      const address = path.replaceAll(/\{(number|name|session)\}/g, '33639980001').replaceAll(/\{\w+\}/g, '999999')
      const answer = await client[method as 'get'](address)
      const isLacking = answer.status === 403 && /needs the permission/.test(answer.text)
      assert.equal(isLacking, !isAllowed, `${id} by ${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      if (isLacking) refused++
    }
  }
  assert.ok(refused > 300)
})

async function logInAs(
  { pool, anonymous }: TestService,
  { tokens, accountId, role }: { tokens: Awaited<ReturnType<typeof createTokens>>; accountId: number; role: Role }
): Promise<ApiClient> {
  const email = `${role}@roles.example`
  const person = await insertPerson(pool, { email, passwordHash: null, firstName: '', lastName: '', phoneNumber: '' })
  await insertMembership(pool, { accountId, personId: person.id, role })
  const { token } = await openSession(pool, tokens, {
    person: { id: person.id, tokenVersion: 1 },
    accountId,
    origin: { address: '127.0.0.1', agent: 'test' }
  })
  return anonymous.as({ authorization: `Bearer ${token}` })
}

async function keyWith(
  { pool, anonymous }: TestService,
  { accountId, scopes }: { accountId: number; scopes: Permission[] }
): Promise<ApiClient> {
  const apiKey = newApiKey()
  const fields = { accountId, name: 'test', isFirst: false, scopes, addresses: [], expiresAt: null }
  await insertApiKey(pool, { ...fields, keyHash: hashApiKey(apiKey) })
  return anonymous.as({ 'x-api-key': apiKey })
}
