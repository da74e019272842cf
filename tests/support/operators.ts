import { createHash } from 'node:crypto';
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');

/** An operator of a test. Its token is `token-of-{name}`. */
export function createOperator(name: string, actions: readonly string[], expires = '2999-01-01') {
  return { tokenSha256: hash(`token-of-${name}`), actions, expires };
}

/** Sets `OPERATORS_FILE` for a test file. All its tests call from one address, so that limit is out of the way. */
export function createOperatorsFile() {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'operators-')), 'operators.json');
  process.env.OPERATORS_FILE = file;
  Object.assign(LIMITS.admin, { points: 1_000 });
  let version = Date.now() / 1000;
  const write = (operators: Record<string, object>) => {
    writeFileSync(file, JSON.stringify({ operators }));
    utimesSync(file, (version += 1), version);
  };
  return { file, hash, write };
}
