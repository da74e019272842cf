export { type ActionDone, actOnAccount, planAction } from './act';
export { ACCOUNT_ACTIONS, reasonSchema } from './decide';
export { lookUpAccounts, type SupportAccount } from './look-up';
export { buildTimeline } from './timeline';
export { assertAllowed, readOperatorsFile, requireOperator } from './operators';
