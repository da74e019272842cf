import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { parseSetCookie } from 'cookie';
import { beforeAll, expect, test } from 'vitest';
import { stubPublicDomain } from '@/tests/support/public-domain';
import { loadActionStep } from './action-step';

const [COURSE, OTHER, DASHBOARD] = ['courses/logic', 'courses/algebra', 'dashboard'].map(
  (page) => `https://learn.campus.example/user/${page}`,
) as [string, string, string];

beforeAll(stubPublicDomain);

test.each([
  ['nothing', {}, COURSE],
  ['the default, as every page stores it', { callbackUrl: DASHBOARD }, COURSE],
  ['what its learner came for', { callbackUrl: OTHER }, undefined],
])('an emailed link brings its callback to a browser that has %s', async (_, cookies, stored) => {
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies });
  const res = new ServerResponse(req);
  const query = { mode: 'verifyEmail', oobCode: 'code', continueUrl: COURSE };
  await loadActionStep({ req, res, query, resolvedUrl: '/actions' });
  const set = [res.getHeader('set-cookie')].flat().map((header) => parseSetCookie(String(header)));
  expect(set.find((cookie) => cookie?.name === 'callbackUrl')?.value).toBe(stored);
});
