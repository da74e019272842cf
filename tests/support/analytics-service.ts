import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Event = { event: string; properties: Record<string, unknown> };
type PeopleUpdate = { $distinct_id: string; $set?: Record<string, unknown> };

/** An analytics service on loopback: takes what Mixpanel's browser library sends, and decodes it. */
export async function startAnalyticsService() {
  /** The raw bodies and addresses, for scans. */
  const arrived: string[] = [];
  const events: Event[] = [];
  const people: PeopleUpdate[] = [];
  const batches: number[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const text = decode(Buffer.concat(chunks).toString());
      arrived.push(`${req.url ?? ''}\n${text}`);
      const items = [JSON.parse(text || '[]') as unknown].flat();
      if (req.url?.startsWith('/track')) {
        events.push(...(items as Event[]));
        if (items.length > 0) batches.push(items.length);
      }
      if (req.url?.startsWith('/engage')) people.push(...(items as PeopleUpdate[]));
      const origin = req.headers.origin ?? '*';
      res.writeHead(200, { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
      res.end('{"status":1,"error":null}');
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    arrived,
    events,
    people,
    batches,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

/** A form with base64 in `data`, or JSON. */
function decode(body: string): string {
  const data = new URLSearchParams(body).get('data');
  if (data === null) return body;
  return data.startsWith('[') || data.startsWith('{') ? data : Buffer.from(data, 'base64').toString();
}
