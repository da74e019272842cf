import { Server, ServerResponse, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { dataOnly, everywhere, notTheHelper } from '@/lib/server/http/document/response-headers.json';
import { getClientAddress } from '@/lib/server/runtime';
import { getExternalRoute, paths } from '@/lib/shared/paths';

/** An answer in place of the handler's. */
export type Refusal = { status: 303 | 400 | 404 | 405 | 417 | 431; headers: Record<string, string> };

/** Other than `100-continue` (RFC 9110, section 10.1.1). */
const UNKNOWN_EXPECTATION: Refusal = { status: 417, headers: {} };
const TOO_MANY_HEADERS: Refusal = { status: 431, headers: {} };

const PAGE_METHODS = ['GET', 'HEAD'];
/** Its form works without scripts. */
const FORM_PAGES: readonly string[] = [paths.signOut];
const ROUTE_METHODS = [...PAGE_METHODS, 'POST', 'OPTIONS'];
/**
 * The framework resolves these after the path as written has decided here, so that `/api/../sign-in` would be a page with the methods of a
 * route. Browsers have resolved them before they ask.
 */
const UNRESOLVED = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Refuses requests that the framework answers with an error, or with a redirect to a foreign host: several hosts, targets that are no
 * path of this host (RFC 9112, section 3.2), and methods that pages do not have. API routes refuse methods themselves,
 * but the middleware in front of some cannot represent TRACE.
 * @returns null for a request that the framework can answer
 */
export function findRefusal({
  url = '',
  method = '',
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>): Refusal | null {
  // A proxy may have gone by another one than Node.js, which reads the first (RFC 9112, section 3.2).
  if (rawHeaders.filter(isHost).length > 1) return { status: 400, headers: {} };
  if (url === '*' && method === 'OPTIONS') return refuseMethod(PAGE_METHODS);
  // `//host` and `/\host` name a host where they are resolved as a reference (RFC 3986, section 4.2).
  if (!/^\/(?![/\\])/.test(url)) return { status: 400, headers: {} };
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (UNRESOLVED.test(path) || !isDecodable(path)) return { status: 400, headers: {} };
  if (path.startsWith('/api/') || getExternalRoute(path) !== null)
    return method === 'TRACE' ? refuseMethod(ROUTE_METHODS) : null;
  const allowed = FORM_PAGES.includes(path) ? [...PAGE_METHODS, 'POST'] : PAGE_METHODS;
  if (allowed.includes(method)) return null;
  if (method === 'POST' && isForm(headers) && /^[\x21-\x7e]+$/.test(url))
    return { status: 303, headers: { location: url } };
  return refuseMethod(allowed);
}

/** Names and values of headers come in turn. */
const isHost = (name: string, index: number) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';

/** Of others the framework answers with its page of an error, without the headers of this app. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Forms are posted to their page where scripts do not run: the page says so, and must not see what was typed. */
function isForm(headers: IncomingMessage['headers']): boolean {
  return headers['content-type'] === 'application/x-www-form-urlencoded';
}

function refuseMethod(allowed: readonly string[]): Refusal {
  return { status: 405, headers: { allow: allowed.join(', ') } };
}

/** A name as RFC 6265, section 4.1.1, has it, with its equals sign; before it only white space of HTTP. */
const NAMED = /^[ \t]*[\w!#$%&'*+.^`|~-]+=/;

/**
 * Cookies of the framework's preview of drafts, which this app does not have: it deletes them with every page, also with one that shared
 * caches may store.
 */
const OF_PREVIEWS = /^[ \t]*__(?:prerender_bypass|next_preview_data)=/;

/**
 * Drops cookies whose name is no token. The framework strips white space of any script from names, so that `\xA0__Host-device`, which browsers
 * take from every host of the main domain, would be read as `__Host-device`, which they take from this host alone.
 * @param header `Cookie` of a request
 */
function keepNamedCookies(header: string): string {
  return header
    .split(';')
    .filter((pair) => NAMED.test(pair) && !OF_PREVIEWS.test(pair))
    .join(';');
}

/** A client sends its bodies at once: only slow ones add up, and a school behind one address has far fewer at a time. */
const MAX_OPEN_BODIES = 32;

/**
 * Bounds the request bodies that are still arriving, by client: beyond the maximum the oldest is given up, so slow
 * bodies of one client cannot keep another one behind the same address from sending.
 */
class OpenBodies {
  private readonly byClient = new Map<string, Map<IncomingMessage, ServerResponse>>();

  /** @param giveUp closes a request's connection */
  constructor(private readonly giveUp: (req: IncomingMessage, res: ServerResponse) => void) {}

  /** Counts a request with a body until the body has arrived, or its connection has closed. */
  add(client: string, req: IncomingMessage, res: ServerResponse): void {
    const open = this.byClient.get(client) ?? new Map<IncomingMessage, ServerResponse>();
    this.byClient.set(client, open.set(req, res));
    req.once('close', () => {
      open.delete(req);
      // One that was given up closes late: its client may have begun again by then.
      if (open.size === 0 && this.byClient.get(client) === open) this.byClient.delete(client);
    });
    if (open.size <= MAX_OPEN_BODIES) return;
    // Complete ones are held by their handlers, which may wait for another service.
    const arriving = [...open].filter(([{ complete }]) => !complete);
    const [oldest] = arriving;
    if (!oldest || arriving.length <= MAX_OPEN_BODIES) return;
    open.delete(oldest[0]);
    this.giveUp(...oldest);
  }
}

/** Browsers and proxies wait for a response before they send the next request on a connection. */
export const MAX_WAITING_REQUESTS = 16;

/**
 * Answers the requests of one connection one at a time, as HTTP/1.1 returns the responses in order anyway (RFC 9112,
 * section 9.3.2). Node.js begins all that it has read, so one write could hold hundreds of pages in progress.
 */
class Pipelines {
  private readonly waiting = new WeakMap<Socket, number>();

  /**
   * Calls `answer` once the requests before it are answered, and never if the client is gone by then. Beyond the maximum
   * the connection is closed.
   */
  answerInTurn({ socket }: IncomingMessage, res: ServerResponse, answer: () => void): void {
    // Node.js assigns the connection to the response whose turn it is.
    if (res.socket) answer();
    // The rest of what was read before the connection was closed.
    else if (socket.destroyed) return;
    else if (this.count(socket, 1) > MAX_WAITING_REQUESTS) socket.destroy();
    else
      res.once('socket', () => {
        this.count(socket, -1);
        // Not at once: other connections have their turn, and Node.js is not yet done with the assignment.
        setImmediate(() => {
          if (socket.writable) answer();
        });
      });
  }

  private count(socket: Socket, change: number): number {
    const count = (this.waiting.get(socket) ?? 0) + change;
    this.waiting.set(socket, count);
    return count;
  }
}

/** Headers alone must arrive sooner, in milliseconds. */
const MAX_HEADERS_TIMEOUT_MS = 15_000;
/** How often Node.js looks for requests that are late, in milliseconds: the longest that one outlives its timeout. */
const CHECK_INTERVAL_MS = 1000;
const IPV6_PREFIX = 64;
/** Node.js hides those that follow, yet acts by them itself: an offer of an upgrade, a length. A proxy may write its own last. */
const MAX_HEADERS = 1000;

type Settings = { REQUEST_TIMEOUT: number; KEEP_ALIVE_TIMEOUT: number; TRUSTED_PROXY_HOPS: number };

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
   * @param Response the class of responses
   */
  constructor(
    private readonly handle: RequestListener,
    private readonly settings: Settings,
    private readonly refusalOf: typeof findRefusal = findRefusal,
    Response: typeof ServerResponse = ServerResponse,
  ) {
    const requestTimeout = settings.REQUEST_TIMEOUT * 1000;
    const headersTimeout = Math.min(MAX_HEADERS_TIMEOUT_MS, requestTimeout);
    const connectionsCheckingInterval = CHECK_INTERVAL_MS;
    const keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT;
    super({ requestTimeout, headersTimeout, keepAliveTimeout, connectionsCheckingInterval, ServerResponse: Response });
    this.requestTimeoutMs = requestTimeout;
    this.maxHeadersCount = MAX_HEADERS;
    // Closes a connection on which nothing moves: its client does not read the response.
    this.timeout = 2 * requestTimeout;
    this.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.on('request', (req, res) => this.receive(req, res, () => this.refusalOf(req)));
    // Without a listener, Node.js answers by itself, and keeps the connection also where an upgrade was offered.
    this.on('checkExpectation', (req, res) => this.receive(req, res, () => UNKNOWN_EXPECTATION));
    // There are no WebSockets. The framework has added its listener by now, which leaves sockets open for good. Without one Node.js ignores
    // the offer, as a server may (RFC 9110, section 7.8): Java's HttpClient makes it with every call that is not by https.
    this.once('listening', () => this.removeAllListeners('upgrade'));
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

  private receive(req: IncomingMessage, res: ServerResponse, refusalOf: () => Refusal | null): void {
    if (hasBody(req)) this.bodies.add(getClientAddress(req, IPV6_PREFIX, this.settings.TRUSTED_PROXY_HOPS), req, res);
    this.pipelines.answerInTurn(req, res, () => this.answer(req, res, refusalOf()));
  }

  private answer(req: IncomingMessage, res: ServerResponse, refusal: Refusal | null): void {
    const isCut = req.rawHeaders.length >= 2 * MAX_HEADERS;
    // While draining, the client's next request needs another process.
    // Node.js does not read what follows an offer of an upgrade.
    if (!this.listening || isCut || req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    if (req.headers.cookie !== undefined) req.headers.cookie = keepNamedCookies(req.headers.cookie);
    if (isCut) refuse(res, TOO_MANY_HEADERS);
    else if (refusal) refuse(res, refusal);
    else this.handle(req, res);
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
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

/** As Node.js answers a request that is late: also on a connection that a proxy keeps, which takes silence for a failure of the process. */
function giveUp({ socket }: IncomingMessage, res: ServerResponse): void {
  if (socket.writable && res.socket === socket && !res.headersSent)
    socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}
