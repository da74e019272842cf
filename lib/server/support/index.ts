export { actOnAccount, planAction } from './act';
export { accountIdSchema, reasonSchema, SUPPORT_ACTIONS } from './decide';
export { lookUpAccounts } from './look-up';
export { type MoveOrder, moveAccount, planMove } from './move';
export { assertAllowed, hasOperatorToken, readOperatorsFile, requireOperator } from './operators';
