export { type ActionDone, actOnAccount } from './act';
export { ACCOUNT_ACTIONS, reasonSchema } from './decide';
export { lookUpAccounts, type SupportAccount } from './look-up';
export { assertAllowed, readOperatorsFile, requireOperator } from './operators';
