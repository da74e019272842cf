import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen';

/** Header with which a test sets the client of a request. */
export const CLIENT = 'x-test-client';

/**
 * Starts one proxy in front of several app processes, as in production. It distributes requests round-robin, skips
 * processes that refuse connections, and appends the client's IP address to `X-Forwarded-For`.
 * @param elsewhere returns the port of another service, if the request is for that service
 */
export async function startProxy(elsewhere: (path: string) => number | undefined = () => undefined) {
  const ports: number[] = [];
  let turn = 0;
  const server = await listen((req, res) => {
    const port = elsewhere(req.url ?? '');
    if (port !== undefined) return pass(req, res, [port]);
    turn += 1;
    const first = turn % ports.length;
    pass(req, res, [...ports.slice(first), ...ports.slice(0, first)]);
  });
  return {
    origin: `http://localhost:${server.port}`,
    passTo: (...origins: string[]) => ports.splice(0, ports.length, ...origins.map((o) => Number(new URL(o).port))),
    stop: server.stop,
  };
}

function pass(req: IncomingMessage, res: ServerResponse, [port, ...others]: number[]): void {
  if (port === undefined) {
    res.writeHead(502).end();
    return;
  }
  const client = String(req.headers[CLIENT] ?? req.socket.remoteAddress);
  const said = req.headers['x-forwarded-for'];
  const headers = { ...req.headers, 'x-forwarded-for': said === undefined ? client : `${String(said)}, ${client}` };
  const onward = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers, agent: false });
  onward.once('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-served-by': String(port) });
    answer.pipe(res);
  });
  onward.once('error', (error: NodeJS.ErrnoException) => {
    // If a connection is refused, no part of the request was processed. So retry with the next process.
    if (error.code === 'ECONNREFUSED') pass(req, res, others);
    else res.destroy();
  });
  onward.once('socket', (socket) => socket.once('connect', () => req.pipe(onward)));
}
