export { reasonSchema } from './decide';
export { lookUpAccounts, type SupportAccount } from './look-up';
export { readOperatorsFile, requireOperator } from './operators';
