// Threats: deployment-interruption, flooding
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerReleasedFiles, setFinder } from './released-files';

const RELEASED = 'console.log("of another build");';
const folder = mkdtempSync(path.join(os.tmpdir(), 'build-'));
mkdirSync(path.join(folder, 'static/chunks'), { recursive: true });
writeFileSync(path.join(folder, 'static/chunks/own.js'), '');
process.env.BUILD_FOLDER = folder;
const server = createServer(answerReleasedFiles((_, res) => res.end('the framework')));
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const ask = async (target: string, init?: RequestInit) => {
  const answer = await fetch(origin + target, init);
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
};

test.each([
  '/sign-in',
  '/_next/static/chunks/own.js',
  '/_next/static/chunks/own.js?v=1',
  '/_next/static/../a.js?',
  '/_next/data/x.json',
])('%s is answered by the framework', async (target) => {
  expect((await ask(target)).text).toBe('the framework');
});

test('a file of another build is answered with its type, for good, and compressed where the client takes that', async () => {
  setFinder((file) => Promise.resolve(file === 'chunks/old.js' ? gzipSync(RELEASED) : null));
  for (const encoding of ['gzip, br', 'identity']) {
    const { status, headers, text } = await ask('/_next/static/chunks/old.js', {
      headers: { 'accept-encoding': encoding },
    });
    expect([status, text]).toEqual([200, RELEASED]);
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=UTF-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : 'gzip');
  }
  expect(await ask('/_next/static/chunks/old.js', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

test.each(['x.map', 'chunks/a.xyz', 'b', '', '%2e.js', '..%2f..%2fsign-in', 'chunks/a.woff2', '<.js'])(
  'what no build can have, as %s, is a short answer, for which no database is asked',
  async (name) => {
    setFinder(() => Promise.reject(new Error('asked')));
    expect(await ask(`/_next/static/${name}`)).toMatchObject({ status: 404, text: 'Not found\n' });
  },
);

test('a file of no build is a short answer that no cache keeps; while the database is away, no cache stores that it does not exist', async () => {
  setFinder(() => Promise.resolve(null));
  const missing = await ask('/_next/static/chunks/neither.js');
  expect(missing).toMatchObject({ status: 404, text: 'Not found\n' });
  expect(missing.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' });
  setFinder(() => Promise.reject(new Error('away')));
  expect(await ask('/_next/static/chunks/neither.js')).toMatchObject({ status: 503 });
});
