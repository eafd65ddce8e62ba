/** The operations that only the operator, the first account, may ask for. */
export const OPERATOR_ONLY: ReadonlySet<string> = new Set([
  'listAccounts',
  'createAccount',
  'adjustAccountCredits',
  'readAccountLimits',
  'changeAccountLimits',
  'changeAccountStanding',
  'changeAccountNote',
  'renewAccountKey',
  'viewAccount',
  'readAccount',
  'extractAccounts',
  'listCarriers',
  'listRoutes',
  'changeAgent',
  'testCarrier',
  'listUnmatchedReceipts',
  'listAccountPeople',
  'resetAccountPassword',
  'removeAccountFactor'
])
