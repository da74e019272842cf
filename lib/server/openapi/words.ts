import type { ProblemCode } from '@/lib/api/problem';
import { accountWords } from './words-account';
import { operatorWords } from './words-operator';
import { sessionWords } from './words-session';
import type { answers } from './answers';

/** What a route's own code does not say of it. */
export type Words = {
  id: string;
  summary: string;
  description?: string;
  /** Body of the answer with status 200. */
  answer: keyof typeof answers | 'text' | 'anything';
  /** Problems besides those that follow from the route's options and from `proof`. */
  problems?: readonly ProblemCode[];
  /** What a caller proves who they are with. */
  proof?: 'session' | 'admin';
  /** Cookies that the call reads or sets, for the reader. */
  cookies?: string;
  /** Media types of a body that the route reads by itself. */
  takes?: readonly string[];
};

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
