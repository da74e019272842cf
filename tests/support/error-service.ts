import { startLoopback } from './loopback';

export type ErrorReport = { exception?: { values?: { type?: string; value?: string }[] }; [name: string]: unknown };

/**
 * Starts an error service on loopback. It receives the requests of Sentry's libraries, compressed or not, and sorts the
 * envelopes.
 */
export async function startErrorService() {
  const arrived: string[] = [];
  const errors: ErrorReport[] = [];
  /** Number of items received by type: `event`, `transaction`, `replay_recording` and so on. */
  const items = new Map<string, number>();
  const loopback = await startLoopback(({ url, body }) => {
    arrived.push(`${url}\n${body}`);
    for (const { type, payload } of parseItems(body)) {
      items.set(type, (items.get(type) ?? 0) + 1);
      if (type === 'event') errors.push(JSON.parse(payload) as ErrorReport);
    }
    return '{}';
  });
  const dsn = `${loopback.url.replace('//', '//publickey@')}/behind/42`;
  return { ...loopback, dsn, arrived, errors, items };
}

/**
 * Parses the items of an envelope. Each has a header line and a payload. Its length in bytes is the header's `length`,
 * or the payload ends with the line.
 */
function parseItems(envelope: string): { type: string; payload: string }[] {
  const bytes = Buffer.from(envelope);
  const items: { type: string; payload: string }[] = [];
  const lineEnd = (from: number) => (bytes.indexOf('\n', from) + bytes.length + 1) % (bytes.length + 1);
  let at = lineEnd(0) + 1;
  while (at < bytes.length) {
    const start = lineEnd(at) + 1;
    const { type, length } = JSON.parse(bytes.toString('utf8', at, start - 1)) as { type: string; length?: number };
    const end = length === undefined ? lineEnd(start) : start + length;
    items.push({ type, payload: bytes.toString('utf8', start, end) });
    at = end + 1;
  }
  return items;
}
