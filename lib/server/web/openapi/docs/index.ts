import { accountDocs } from './account';
import { operatorDocs } from './operator';
import { passkeyDocs } from './passkeys';
import { secondFactorDocs } from './second-factor';
import { sessionDocs } from './session';
import type { OperationDocs } from './types';

export const TAGS = {
  Session: 'What a platform calls, and what keeps a session',
  Account: 'What the pages of this app call for accounts and passwords',
  Passkeys: 'What the pages of this app call for passkeys (WebAuthn)',
  'Second factor': 'What the pages of this app call for authenticator apps (RFC 6238) and recovery codes',
  Operators: 'Health, counters and reports',
} as const;
export type Tag = keyof typeof TAGS;

export const operationDocs: Record<string, OperationDocs & { tag: Tag }> = Object.fromEntries([
  ...tagged('Session', sessionDocs),
  ...tagged('Account', accountDocs),
  ...tagged('Passkeys', passkeyDocs),
  ...tagged('Second factor', secondFactorDocs),
  ...tagged('Operators', operatorDocs),
]);

function tagged(tag: Tag, entries: Record<string, OperationDocs>): [string, OperationDocs & { tag: Tag }][] {
  return Object.entries(entries).map(([path, entry]) => [path, { ...entry, tag }]);
}
