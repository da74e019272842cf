import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHOICE_FAILURES } from '@/lib/account/mobile-choice';
import { PROBLEM_TEXTS } from '@/lib/account/problem-texts';
import { AUTH_ERROR_CODES, NOTIFICATIONS } from '@/lib/auth/error-codes';
import { CHECKS } from '@/lib/self-check/checks';
import { LESSON_TYPES, PROGRESS_STATUSES } from '@/lib/courses/lesson-kinds';
import { namespacesFor } from './namespaces';

const root = path.resolve(import.meta.dirname, '../..');
const LOCALE = path.join(root, 'locales/en');

/** Keys that are put together at run time, spelled out from the lists they come from. */
const COMPOSED = [
  ...AUTH_ERROR_CODES.map((code) => `common:errors.${code}`),
  ...PROBLEM_TEXTS.map((code) => `common:problems.${code}`),
  ...Object.keys(NOTIFICATIONS).map((key) => `common:notifications.${key}`),
  ...LESSON_TYPES.flatMap((type) => [`dashboard:lessons.types.${type}`, `dashboard:lessons.counted.${type}`]),
  ...PROGRESS_STATUSES.map((status) => `dashboard:lessons.statuses.${status}`),
  ...['in_progress', 'not_started'].map((status) => `dashboard:courses.go.${status}`),
  ...CHOICE_FAILURES.map((reason) => `common:mobile.failed.${reason}`),
  ...CHECKS.flatMap((name) => [`common:selfCheck.checks.${name}.name`, `common:selfCheck.checks.${name}.advice`]),
  ...['heading', 'lead'].flatMap((part) => [`not-found:notFound.${part}`, `not-found:failure.${part}`]),
];

const sources = ['components', 'lib', 'pages']
  .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, folder, file)))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => readFileSync(file, 'utf8')); // prettier-ignore

const texts = Object.fromEntries(
  readdirSync(LOCALE).map((file) => [path.basename(file, '.json'), flatten(readJson(path.join(LOCALE, file)))]),
);
const written = new Set(Object.entries(texts).flatMap(([namespace, keys]) => keys.map((key) => `${namespace}:${key}`)));
const used = new Set([...COMPOSED, ...sources.flatMap(usedKeys)]);

describe('texts', () => {
  it('has a text for every key in use', () => {
    const missing = [...used].filter((key) => !written.has(key) && !written.has(`${key}_other`));
    expect(missing).toEqual([]);
  });

  it('uses every text', () => {
    const isUsed = (key: string) => used.has(key) || used.has(key.replace(/_(one|other)$/, '')) || isSchemaMessage(key);
    expect([...written].filter((key) => !isUsed(key))).toEqual([]);
  });

  it('has a file for every namespace of every route', () => {
    const routes = ['/registration/confirm', '/registration/success', '/first-login-reset-password', '/sign-in', '/forget-password/instructions', '/forget-password/reset', '/forget-password/confirmation', '/account-settings/change-password']; // prettier-ignore
    expect(Object.keys(texts)).toEqual(expect.arrayContaining(routes.flatMap(namespacesFor)));
  });

  it('leaves no text empty', () => {
    for (const [namespace, keys] of Object.entries(texts))
      expect(
        keys.filter((key) => key === ''),
        namespace,
      ).toEqual([]);
  });
});

/** Keys given to `t`, with the namespace of the file's `useTranslation`. */
function usedKeys(source: string): string[] {
  const own = /useTranslation\('([\w-]+)'\)/.exec(source)?.[1] ?? 'common';
  return [...source.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key = '']) => (key.includes(':') ? key : `${own}:${key}`));
}

/** Schemas name the common text of an error in their checks. */
function isSchemaMessage(key: string): boolean {
  const [namespace, name = ''] = key.split(':');
  return namespace === 'common' && name.startsWith('fields.') && sources.some((source) => source.includes(`'${name}'`));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function flatten(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [prefix];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, prefix ? `${prefix}.${key}` : key));
}
