import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listen } from './listen';

/**
 * How a third-party service behaves: normally, failing, taking 2 s or 10 s for each response, never responding,
 * closing the connection immediately, sending malformed responses, or closing the connection in the middle of a
 * response.
 */
export type ServiceMode = 'healthy' | 'failing' | 'late' | 'slow' | 'silent' | 'refusing' | 'garbled' | 'cut';
const DELAYS = { late: 2_000, slow: 10_000 };

type Handler = (request: { url: string; body: string }) => string;

/** Starts a service on loopback that reads and decompresses its requests, in any of these modes. */
export async function startLoopback(handle: Handler) {
  let mode: ServiceMode = 'healthy';
  const timers = new Set<NodeJS.Timeout>();
  const server = await listen((req, res) => {
    const answer = async () => {
      const bytes = await buffer(req);
      const body = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
      if (mode === 'refusing') return void req.socket.destroy();
      const text = handle({ url: req.url ?? '', body });
      if (mode === 'late' || mode === 'slow') timers.add(setTimeout(() => respond(req, res, 200, text), DELAYS[mode]));
      else if (mode === 'garbled') respond(req, res, 200, '<html>\u0000\uFFFD{"status":');
      else if (mode === 'cut') cut(req, res, text);
      else if (mode !== 'silent') respond(req, res, mode === 'failing' ? 500 : 200, text);
    };
    // A browser that leaves its page aborts its requests.
    answer().catch(() => res.destroy());
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    setMode: (next: ServiceMode) => {
      mode = next;
    },
    stop: () => {
      timers.forEach(clearTimeout);
      return server.stop();
    },
  };
}

/** Sends a shorter body than it declares. */
function cut(req: IncomingMessage, res: ServerResponse, answer: string): void {
  res.setHeader('content-length', answer.length + 100);
  res.setHeader('access-control-allow-origin', req.headers.origin ?? '*');
  res.write(answer, () => req.socket.destroy());
}

function respond(req: IncomingMessage, res: ServerResponse, status: number, answer: string): void {
  const origin = req.headers.origin ?? '*';
  res.writeHead(status, { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
  res.end(answer);
}
