import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { findReleasedFile, storeReleasedFiles } from '@/lib/server/storage/records/released-files';

afterAll(() => {
  vi.unstubAllEnvs();
});

test('a page of another build asks for its files at once, and gets all of them', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'released-files-'));
  mkdirSync(path.join(folder, 'static/chunks'), { recursive: true });
  writeFileSync(path.join(folder, 'BUILD_ID'), 'another-build');
  const names = Array.from({ length: 5 }, (_, at) => `chunks/released-${String(at)}.js`);
  for (const name of names) writeFileSync(path.join(folder, 'static', name), name);
  vi.stubEnv('BUILD_FOLDER', folder);
  await storeReleasedFiles(await getRecords());
  const found = await Promise.all(names.map((name) => findReleasedFile(name)));
  expect(found.map((body) => body && gunzipSync(body).toString())).toEqual(names);
  expect(await findReleasedFile('chunks/of-no-build.js')).toBeNull();
});
