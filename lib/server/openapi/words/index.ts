import { accountWords } from './account';
import { operatorWords } from './operator';
import { sessionWords } from './session';
import type { Words } from './types';

export const TAGS = {
  Session: 'What a platform calls, and what keeps a session',
  Account: 'What the pages of this app call for accounts and passwords',
  Operators: 'Health, counters and reports',
} as const;
export type Tag = keyof typeof TAGS;

export const words: Record<string, Words & { tag: Tag }> = Object.fromEntries([
  ...tagged('Session', sessionWords),
  ...tagged('Account', accountWords),
  ...tagged('Operators', operatorWords),
]);

function tagged(tag: Tag, entries: Record<string, Words>): [string, Words & { tag: Tag }][] {
  return Object.entries(entries).map(([path, entry]) => [path, { ...entry, tag }]);
}
