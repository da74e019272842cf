export { actOnAccount, planAction } from './act';
export { reasonSchema } from './decide';
export { lookUpAccounts } from './look-up';
export { type MoveOrder, moveAccount, planMove } from './move';
export { assertAllowed, readOperatorsFile, requireOperator } from './operators';
