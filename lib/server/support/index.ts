export { actOnAccount, planAction } from './act';
export { reasonSchema } from './decide';
export { lookUpAccounts } from './look-up';
export { assertAllowed, readOperatorsFile, requireOperator } from './operators';
