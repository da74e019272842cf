import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { waitUntilLogged, type Service } from '../../scripts/lib/processes.mjs';
import { startPlatform } from '../../scripts/lib/services.mjs';
import { signWebhook } from '@/lib/server/notifications/webhooks';
import { listen } from '../../tests/support/listen';

const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
let app: Awaited<ReturnType<typeof listen>>;
let platform: Service;
let port = 0;
beforeAll(async () => {
  // A session is named after its factors.
  app = await listen((req, res) => {
    const factors = /^_secure-user-session=(\d)$/.exec(req.headers.cookie ?? '')?.[1];
    res.end(JSON.stringify({ uid: 'p3x', assurance: factors ? Number(factors) : undefined }));
  });
  [port = 0] = await freePorts(1);
  const identityOrigin = `http://127.0.0.1:${app.port}`;
  const dir = mkdtempSync(path.join(os.tmpdir(), 'platform-'));
  platform = await startPlatform({ port, identityOrigin, checkOrigin: identityOrigin, webhookSecret, dir });
}, 240_000);
afterAll(async () => {
  await platform.stop();
  await app.stop();
});

const openCertificates = (session: string, asked = '') =>
  fetch(`http://127.0.0.1:${port}/user/certificates`, {
    headers: { cookie: `_secure-user-session=${session}; ${asked}` },
    redirect: 'manual',
  });

it('a page that needs two factors is served with two', async () => {
  expect((await openCertificates('2')).status).toBe(200);
});

it.each(['1', 'unreported'])('and asks once for the second one (factors: %s)', async (session) => {
  const sent = await openCertificates(session);
  const location = sent.headers.get('location') ?? '';
  expect(new URL(location).searchParams.get('acr_values')).toBe('aal2');
  const [asked] = (sent.headers.get('set-cookie') ?? '').split(';');
  const back = await openCertificates(session, asked);
  expect(back.status).toBe(403);
  expect(await back.text()).toContain(`href="${location.replaceAll('&', '&amp;')}"`);
});

it('the page of events, which anyone may open, names no account', async () => {
  const at = new Date();
  const body = JSON.stringify({ type: 'account.deleted', timestamp: at.toISOString(), data: { uid: 'p3x-deleted' } });
  const headers = signWebhook({ id: 'event-1', at, body }, [webhookSecret]);
  const site = `http://127.0.0.1:${port}`;
  expect((await fetch(`${site}/webhooks`, { method: 'POST', headers, body })).status).toBe(200);
  const page = await (await fetch(`${site}/events`)).text();
  expect(page).toContain('account.deleted');
  expect(page).not.toContain('p3x');
});

it('a webhook that breaks off ends nothing else', async () => {
  const socket = net.connect(port, '127.0.0.1');
  socket.write('POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{', () => socket.destroy());
  await waitUntilLogged(platform, 'aborted');
  expect((await openCertificates('2')).status).toBe(200);
});

it('a webhook that is too long is not read to its end', async () => {
  const headers = { 'content-length': 1_000_000 };
  const req = http.request({ port, host: '127.0.0.1', path: '/webhooks', method: 'POST', headers });
  req.write(Buffer.alloc(64 * 1024 + 1));
  const [res] = (await once(req, 'response')) as [http.IncomingMessage];
  req.on('error', () => undefined).destroy();
  expect(res.statusCode).toBe(413);
});
