import { expect, test } from 'vitest';
import { findConflicts } from '@/lib/server/runtime/config/env';
import { chooseRecords } from './engines';

const LOCAL = ['http://localhost:3000', 'https://id.campus.localhost', 'http://127.0.0.1:3000'];
const combinations = [...LOCAL, 'https://id.campus.test', 'http://id.campus.test'].flatMap((origin) =>
  [undefined, 'postgres://app@db.example/app'].flatMap((url) =>
    [undefined, 'trial'].flatMap((folder) =>
      (['firebase', 'upstream'] as const).map((backend) => ({ origin, url, folder, backend })),
    ),
  ),
);

type Combination = (typeof combinations)[number];

function toEnv({ origin, url, folder, backend }: Combination) {
  return {
    NEXT_PUBLIC_APP_ORIGIN: origin,
    DATABASE_URL: url,
    DATABASE_FOLDER: folder,
    SESSION_BACKEND: backend,
  };
}

/** Returns the database that the configuration requires, or whether the start is refused. */
function getExpected({ origin, url, folder = '.records', backend }: Combination) {
  if (backend === 'upstream') return [null, false];
  if (url) return ['postgres', false];
  return [folder, !LOCAL.includes(origin)];
}

test.each(combinations)('$origin, url $url, folder $folder, $backend', (combination) => {
  const choice = chooseRecords(toEnv(combination));
  const problems = findConflicts(toEnv(combination)).filter((line) => line.startsWith('DATABASE'));
  const found = choice?.kind === 'embedded' ? choice.folder : (choice?.kind ?? null);
  expect([found, problems.length > 0]).toEqual(getExpected(combination));
  for (const problem of problems)
    expect(problem).toBe(
      'DATABASE_URL: is required: name a database of PostgreSQL 15 or newer; the embedded database serves localhost alone',
    );
});
