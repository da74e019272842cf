import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { openSession } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

const GOOD = {
  id: 'algebra',
  title: 'Algebra',
  lessons: [{ id: 'x', title: 'X', type: 'quiz', status: 'in_progress' }],
};

let platform: Server;
let app: RunningRoutes;
let cookie: string;
let answer: (req: IncomingMessage, res: ServerResponse) => void;
let asked: { url: string | undefined; cookie: string | undefined }[] = [];
const reports: unknown[] = [];

beforeAll(async () => {
  platform = createServer((req, res) => {
    asked.push({ url: req.url, cookie: req.headers.cookie });
    answer(req, res);
  });
  await new Promise<void>((ready) => platform.listen(0, '127.0.0.1', ready));
  process.env.PLATFORM_API_URL = `http://127.0.0.1:${String((platform.address() as AddressInfo).port)}`;
  app = await serveRoutes();
  cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  connectErrorSink(({ error }) => reports.push(error));
});
beforeEach(() => {
  asked = [];
  reports.length = 0;
  answer = (_req, res) => res.end(JSON.stringify({ courses: [GOOD] }));
});
afterAll(async () => {
  await app.close();
  platform.closeAllConnections();
  platform.close();
});

async function courses(session: string | null = cookie) {
  const headers = session === null ? undefined : { cookie: `_secure-user-session=${session}; other=kept-to-ourselves` };
  const response = await fetch(`${app.origin}/api/user/courses`, headers ? { headers } : {});
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

test('courses are requested with the identity of the learner and returned', async () => {
  const { status, headers, body } = await courses();
  expect([status, body]).toEqual([200, { courses: [GOOD], elsewhere: false }]);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(asked).toEqual([{ url: '/user/courses', cookie: `_secure-user-session=${cookie}` }]);
});

test('without a session there is no response, and the platform is not requested', async () => {
  for (const session of [null, 'made-up']) expect((await courses(session)).status).toBe(401);
  expect(asked).toEqual([]);
});

test('invalid entries are dropped and reported', async () => {
  answer = (_req, res) => res.end(JSON.stringify({ courses: [{ id: '' }, GOOD], extra: 1 }));
  expect((await courses()).body).toEqual({ courses: [GOOD], elsewhere: false });
  expect(reports).toHaveLength(1);
});

test.each([
  ['an error', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(500).end('{}')],
  ['garbage', (_req: IncomingMessage, res: ServerResponse) => res.end('<html>')],
  ['another shape', (_req: IncomingMessage, res: ServerResponse) => res.end('[]')],
  ['a redirect', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(302, { location: '/x' }).end()],
  [
    'half an answer',
    (req: IncomingMessage, res: ServerResponse) => {
      res.writeHead(200, { 'content-length': '999' });
      res.write('{"cou');
      setTimeout(() => req.socket.destroy(), 20);
    },
  ],
  ['nothing', () => undefined],
])('%s of the platform is 503, reported', async (_name, how) => {
  answer = how;
  const { status, headers } = await courses();
  expect(status).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(reports).toHaveLength(1);
});
