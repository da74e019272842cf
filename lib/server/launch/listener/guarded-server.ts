import { Server, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { dataOnly, everywhere, notTheHelper } from '@/lib/server/http/document/response-headers.json';
import { getClientAddress } from '@/lib/server/runtime';
import { keepNamedCookies } from './cookie-names';
import { OpenBodies } from './open-bodies';
import { Pipelines } from './pipelines';
import { findRefusal, type Refusal } from './refusal';

/** Headers alone must arrive sooner, in milliseconds. */
const MAX_HEADERS_TIMEOUT_MS = 15_000;
/** How often Node.js looks for requests that are late, in milliseconds: the longest that one outlives its timeout. */
const CHECK_INTERVAL_MS = 1000;
const IPV6_PREFIX = 64;

type Settings = { REQUEST_TIMEOUT: number; TRUSTED_PROXY_HOPS: number };

/**
 * The server that listens, in place of the framework's own (docs/adr/0025): every connection ends within a bound, and
 * the framework gets only requests that it can answer.
 */
export class GuardedServer extends Server {
  private readonly sockets = new Set<Socket>();
  private readonly bodies = new OpenBodies(giveUp);
  private readonly pipelines = new Pipelines();
  private readonly requestTimeoutMs: number;

  /**
   * @param handle the framework's handler, or that of the other listener
   * @param refusalOf the answer in place of the handler's, or null
   */
  constructor(
    private readonly handle: RequestListener,
    private readonly settings: Settings,
    private readonly refusalOf: typeof findRefusal = findRefusal,
  ) {
    const requestTimeout = settings.REQUEST_TIMEOUT * 1000;
    const headersTimeout = Math.min(MAX_HEADERS_TIMEOUT_MS, requestTimeout);
    super({ requestTimeout, headersTimeout, connectionsCheckingInterval: CHECK_INTERVAL_MS });
    this.requestTimeoutMs = requestTimeout;
    // Closes a connection on which nothing moves: its client does not read the response.
    this.timeout = 2 * requestTimeout;
    this.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.on('request', (req, res) => this.receive(req, res));
    // There are no WebSockets. The framework has added its listener by now, which leaves sockets open for good.
    this.once('listening', () => {
      this.removeAllListeners('upgrade');
      this.on('upgrade', (_req: IncomingMessage, socket: Duplex) => socket.destroy());
    });
  }

  /**
   * Drains: Node.js waits for every connection on which a request has begun, and no longer checks how long it takes.
   */
  override close(callback?: (error?: Error) => void): this {
    super.close(callback);
    // Opened in advance, as browsers do: Node.js takes them for requests that have begun.
    setTimeout(() => this.closeConnections(({ bytesRead }) => bytesRead === 0), CHECK_INTERVAL_MS).unref();
    setTimeout(() => this.closeConnections(), this.requestTimeoutMs).unref();
    return this;
  }

  private closeConnections(isMeant: (socket: Socket) => boolean = () => true): void {
    for (const socket of this.sockets) if (isMeant(socket)) socket.destroy();
  }

  private receive(req: IncomingMessage, res: ServerResponse): void {
    if (hasBody(req)) this.bodies.add(getClientAddress(req, IPV6_PREFIX, this.settings.TRUSTED_PROXY_HOPS), req);
    this.pipelines.answerInTurn(req, res, () => this.answer(req, res));
  }

  private answer(req: IncomingMessage, res: ServerResponse): void {
    // While draining, the client's next request needs another process.
    if (!this.listening) res.shouldKeepAlive = false;
    const refusal = this.refusalOf(req);
    if (req.headers.cookie !== undefined) req.headers.cookie = keepNamedCookies(req.headers.cookie);
    if (refusal) refuse(res, refusal);
    else this.handle(req, res);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function refuse(res: ServerResponse, { status, headers }: Refusal): void {
  for (const [name, value] of Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly, ...headers }))
    res.setHeader(name, value);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', 0);
  res.statusCode = status;
  res.end();
}

/** As Node.js answers a request that is late. */
function giveUp({ socket }: IncomingMessage): void {
  if (socket.writable && socket.bytesWritten === 0)
    socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}
