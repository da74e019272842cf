import { expect, test } from 'vitest';
import { findConflicts } from '@/lib/server/runtime/config/env';
import { chooseRecords } from './engines';

const combinations = ['http://localhost:3000', 'https://id.campus.test'].flatMap((origin) =>
  [undefined, 'postgres://app@db.example/app'].flatMap((url) =>
    [undefined, 'off', 'trial'].flatMap((folder) =>
      [false, true].flatMap((allowed) =>
        (['firebase', 'upstream'] as const).map((backend) => ({ origin, url, folder, allowed, backend })),
      ),
    ),
  ),
);

type Combination = (typeof combinations)[number];

function toEnv({ origin, url, folder, allowed, backend }: Combination) {
  return {
    NEXT_PUBLIC_APP_ORIGIN: origin,
    DATABASE_URL: url,
    DATABASE_FOLDER: folder,
    ALLOW_EMBEDDED_DATABASE: allowed,
    SESSION_BACKEND: backend,
  };
}

function getExpected({ origin, url, folder, backend }: Combination): string {
  if (backend === 'upstream') return 'none';
  if (url) return 'postgres';
  if (folder === 'off') return 'none';
  return folder ?? (origin.includes('localhost') ? '.records' : 'none');
}

test.each(combinations)('$origin, url $url, folder $folder, $backend', (combination) => {
  const choice = chooseRecords(toEnv(combination));
  expect(choice.kind === 'embedded' ? choice.folder : choice.kind).toBe(getExpected(combination));
});

test.each(combinations)('$origin, url $url, folder $folder, allowed $allowed: refused or not', (combination) => {
  const { origin, url, folder, allowed } = combination;
  const isRefused = !url && folder === 'trial' && origin.startsWith('https:') && !allowed;
  const problems = findConflicts(toEnv(combination)).filter((line) => line.startsWith('DATABASE'));
  expect(problems).toHaveLength(isRefused ? 1 : 0);
});
