import { startLoopback } from './loopback';

type Event = { event: string; properties: Record<string, unknown> };
type PeopleUpdate = { $distinct_id: string; $set?: Record<string, unknown> };

/** Starts an analytics service on loopback, which receives and decodes the requests of Mixpanel's browser library. */
export async function startAnalyticsService() {
  /** URLs and decoded bodies, which tests scan for secrets. */
  const arrived: string[] = [];
  const events: Event[] = [];
  const people: PeopleUpdate[] = [];
  /** Number of events per request. */
  const batches: number[] = [];
  const loopback = await startLoopback(({ url, body }) => {
    const text = decode(body);
    arrived.push(`${url}\n${text}`);
    const items = [JSON.parse(text || '[]') as unknown].flat();
    if (url.startsWith('/track') && items.length > 0) {
      events.push(...(items as Event[]));
      batches.push(items.length);
    }
    if (url.startsWith('/engage')) people.push(...(items as PeopleUpdate[]));
    return '{"status":1,"error":null}';
  });
  return { ...loopback, arrived, events, people, batches };
}

/** A body is a form with base64 in `data`, or JSON. */
function decode(body: string): string {
  const data = new URLSearchParams(body).get('data');
  if (data === null) return body;
  return data.startsWith('[') || data.startsWith('{') ? data : Buffer.from(data, 'base64').toString();
}
