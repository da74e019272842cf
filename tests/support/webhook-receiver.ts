import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { readWebhook } from '../../examples/express/webhooks.mjs';
import { listen } from './listen';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'shared with the platform').toString('base64')}`;

export type ReceivedWebhook = { headers: IncomingHttpHeaders; body: string };

/** The platform's endpoint for webhooks, which keeps what it receives. */
export async function startWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  let status = 204;
  let verifies = false;
  const getStatus = async ({ headers, body }: ReceivedWebhook) => {
    if (!verifies) return status;
    const event = await readWebhook(headers, body, { secret: WEBHOOK_SECRET, isKnown: () => false });
    return event === 'refused' ? 400 : 204;
  };
  const server = await listen((req, res) => {
    void text(req).then(async (body) => {
      received.push({ headers: req.headers, body });
      const answer = await getStatus({ headers: req.headers, body });
      res.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  return {
    url: `http://localhost:${String(server.port)}/webhooks`,
    received,
    /** Of the account, in order. */
    of: (uid: string) => received.filter(({ body }) => body.includes(`"${uid}"`)),
    answer: (next: number) => (status = next),
    /** Answers as the examples' receiver from now on. */
    verify: () => (verifies = true),
    stop: () => server.stop(),
  };
}
