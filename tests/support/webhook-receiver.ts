import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'shared with the platform').toString('base64')}`;

export type ReceivedWebhook = { headers: IncomingHttpHeaders; body: string };

/** The platform's endpoint for webhooks, which keeps what it receives. */
export async function startWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  let status = 204;
  const server = await listen((req, res) => {
    void text(req).then((body) => {
      received.push({ headers: req.headers, body });
      res.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  return {
    url: `http://localhost:${String(server.port)}/webhooks`,
    received,
    /** Of the account, in order. */
    of: (uid: string) => received.filter(({ body }) => body.includes(`"${uid}"`)),
    answer: (next: number) => (status = next),
    stop: () => server.stop(),
  };
}
