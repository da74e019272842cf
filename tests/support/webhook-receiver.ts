import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readWebhook } from '../../examples/express/webhooks.mjs';
import { writeConfig } from './config-files';
import { listen } from './listen';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'shared with the platform').toString('base64')}`;

export type ReceivedWebhook = { headers: IncomingHttpHeaders; body: string };

/** Starts the platform's endpoint for webhooks, which stores what it receives. */
export async function startWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  let status = 204;
  let verifies = false;
  let holds = false;
  const getStatus = async ({ headers, body }: ReceivedWebhook) => {
    if (!verifies) return status;
    const event = await readWebhook(headers, body, { secret: WEBHOOK_SECRET, isKnown: () => false });
    return event === 'refused' ? 400 : 204;
  };
  const server = await listen((req, res) => {
    void text(req).then(async (body) => {
      received.push({ headers: req.headers, body });
      if (holds) return;
      const answer = await getStatus({ headers: req.headers, body });
      res.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  return {
    url: `http://localhost:${String(server.port)}/webhooks`,
    received,
    /** Returns the account's webhooks in order. */
    of: (uid: string) => received.filter(({ body }) => body.includes(`"${uid}"`)),
    answer: (next: number) => (status = next),
    /** From now on, verifies signatures like the receiver of the examples. */
    verify: () => (verifies = true),
    /** From now on, sends no responses. */
    hang: () => (holds = true),
    stop: () => server.stop(),
  };
}

const dir = mkdtempSync(path.join(os.tmpdir(), 'webhooks-'));
const file = path.join(dir, 'webhooks.json');

/** Call it before a test's deployment starts, which then has the receivers of this file. @returns its path */
export function useWebhooksFile(): string {
  process.env.WEBHOOKS_FILE = file;
  writeReceivers({});
  return file;
}

export const writeReceivers = (receivers: Record<string, object>) => writeConfig(file, { receivers });

/** @returns the path of a file with the secret */
export function writeWebhookSecret(name: string, secret: string): string {
  const target = path.join(dir, name);
  writeFileSync(target, `${secret}\n`);
  return target;
}
