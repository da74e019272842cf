import { Server, ServerResponse, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { dataOnly, everywhere, notTheHelper } from '@/lib/server/http/document/response-headers.json';
import { getClientAddress, isShuttingDown } from '@/lib/server/runtime';
import { getExternalRoute, paths } from '@/lib/shared/paths';

/** A response that replaces the handler's. */
export type Refusal = { status: 303 | 400 | 404 | 405 | 417 | 431; headers: Record<string, string> };

/** For any expectation but `100-continue` (RFC 9110, section 10.1.1). */
const UNKNOWN_EXPECTATION: Refusal = { status: 417, headers: {} };
const TOO_MANY_HEADERS: Refusal = { status: 431, headers: {} };

const PAGE_METHODS = ['GET', 'HEAD'];
/** Pages whose form works without scripts. */
const FORM_PAGES: readonly string[] = [paths.signOut];
const ROUTE_METHODS = [...PAGE_METHODS, 'POST', 'OPTIONS'];
/**
 * Path segments that the framework would resolve after the checks here. So `/api/../sign-in` would be a page with the
 * methods of a route. Browsers resolve them before the request.
 */
const UNRESOLVED = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Refuses requests to which the framework would respond with an error, or with a redirect to a foreign host. These have
 * several hosts, targets that are not a path of this host (RFC 9112, section 3.2), or methods that pages do not have.
 * API routes refuse methods themselves, but some have a middleware that cannot represent TRACE.
 * @returns null if the framework can handle the request
 */
export function findRefusal({
  url = '',
  method = '',
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>): Refusal | null {
  // A proxy may have used another `Host` header than Node.js, which reads the first (RFC 9112, section 3.2).
  if (rawHeaders.filter(isHost).length > 1) return { status: 400, headers: {} };
  if (url === '*' && method === 'OPTIONS') return refuseMethod(PAGE_METHODS);
  // `//host` and `/\host` would be resolved as a host (RFC 3986, section 4.2).
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

/** `rawHeaders` alternates names and values. */
const isHost = (name: string, index: number) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';

/** Whether a path can be decoded. For others, the framework sends its error page without this app's headers. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the body is a form. Without scripts, browsers post forms to their page. The page explains this, and must not
 * receive the typed input.
 */
function isForm(headers: IncomingMessage['headers']): boolean {
  return headers['content-type'] === 'application/x-www-form-urlencoded';
}

function refuseMethod(allowed: readonly string[]): Refusal {
  return { status: 405, headers: { allow: allowed.join(', ') } };
}

/** A cookie with a valid name (RFC 6265, section 4.1.1) and an equals sign, after HTTP white space only. */
const NAMED = /^[ \t]*[\w!#$%&'*+.^`|~-]+=/;

/**
 * Cookies of the framework's draft preview, which this app does not have. The framework would delete them with every
 * page, even with pages that shared caches store.
 */
const OF_PREVIEWS = /^[ \t]*__(?:prerender_bypass|next_preview_data)=/;

/**
 * Drops cookies whose name is not a token. The framework strips white space of any script from names. So it would read
 * `\xA0__Host-device`, which any host of the main domain can set, as `__Host-device`, which only this host can set.
 * @param header `Cookie` of a request
 */
function keepNamedCookies(header: string): string {
  return header
    .split(';')
    .filter((pair) => NAMED.test(pair) && !OF_PREVIEWS.test(pair))
    .join(';');
}

/**
 * Maximum open bodies of a client. A client sends its bodies at once, so only slow bodies add up. A school behind the
 * same address has far fewer at a time.
 */
const MAX_OPEN_BODIES = 32;

/**
 * Bounds the request bodies that are still arriving, by client. Beyond the maximum, it closes the oldest, so slow
 * bodies of a client cannot block another client behind the same address.
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
      // A closed request may end late, after its client has begun another request.
      if (open.size === 0 && this.byClient.get(client) === open) this.byClient.delete(client);
    });
    if (open.size <= MAX_OPEN_BODIES) return;
    // Ignore complete requests. Their handlers hold them, and may wait for another service.
    const arriving = [...open].filter(([{ complete }]) => !complete);
    const [oldest] = arriving;
    if (!oldest || arriving.length <= MAX_OPEN_BODIES) return;
    open.delete(oldest[0]);
    this.giveUp(...oldest);
  }
}

/**
 * Maximum pipelined requests of a connection. Browsers and proxies wait for a response before they send the next
 * request.
 */
export const MAX_WAITING_REQUESTS = 16;

/**
 * Handles the requests of a connection one at a time, because HTTP/1.1 returns the responses in order anyway (RFC 9112,
 * section 9.3.2). Node.js starts every request that it has read, so a single write could start hundreds of pages.
 */
class Pipelines {
  private readonly waiting = new WeakMap<Socket, number>();

  /**
   * Calls `answer` after the previous requests are done, but not if the client is gone by then. Beyond the maximum, it
   * closes the connection.
   */
  answerInTurn({ socket }: IncomingMessage, res: ServerResponse, answer: () => void): void {
    // Node.js assigns the connection to the response that is next.
    if (res.socket) answer();
    // This request was read before the connection was closed.
    else if (socket.destroyed) return;
    else if (this.count(socket, 1) > MAX_WAITING_REQUESTS) socket.destroy();
    else
      res.once('socket', () => {
        this.count(socket, -1);
        // Defer it, so that other connections have their turn and Node.js completes the assignment.
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

/** Maximum time until the headers have arrived. */
const MAX_HEADERS_TIMEOUT_MS = 15_000;
/** How often Node.js looks for late requests, and so how long a request may outlive its timeout. */
const CHECK_INTERVAL_MS = 1000;
const IPV6_PREFIX = 64;
/** The system's default number of connections that wait until Node.js accepts them in order. */
const MAX_WAITING_CONNECTIONS = 511;
/**
 * Node.js hides further headers but still applies them itself, such as an upgrade or a length. A proxy may add its own
 * headers last.
 */
const MAX_HEADERS = 1000;

type Settings = { REQUEST_TIMEOUT: number; KEEP_ALIVE_TIMEOUT: number; TRUSTED_PROXY_HOPS: number };

/**
 * The server that listens instead of the framework's own (docs/adr/0025). Every connection ends within a bound, and the
 * framework gets only requests that it can handle.
 */
export class GuardedServer extends Server {
  private readonly sockets = new Set<Socket>();
  private readonly bodies = new OpenBodies(giveUp);
  private readonly pipelines = new Pipelines();
  private readonly requestTimeoutMs: number;
  private accepted = 0;

  /**
   * @param handle the framework's handler, or the other listener's
   * @param refusalOf returns a response that replaces the handler's, or null
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
    // Closes an idle connection, whose client does not read the response.
    this.timeout = 2 * requestTimeout;
    this.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.on('request', (req, res) => this.receive(req, res, () => this.refusalOf(req)));
    // Without this listener, Node.js would respond itself, and keep the connection even after an upgrade offer.
    this.on('checkExpectation', (req, res) => this.receive(req, res, () => UNKNOWN_EXPECTATION));
    // There are no WebSockets. The framework has added its listener before this event, and that listener leaves sockets
    // open forever. Without a listener, Node.js ignores the offer, as RFC 9110, section 7.8, allows. Java's HttpClient
    // offers an upgrade in every plain HTTP call.
    this.once('listening', () => this.removeAllListeners('upgrade'));
  }

  /**
   * Drains the server. Node.js waits for every connection with a started request, and no longer checks how long it
   * takes.
   */
  override close(callback?: (error?: Error) => void): this {
    this.afterWaitingConnections(() => {
      super.close(callback);
      // Browsers open connections in advance. Node.js counts them as started requests, so close those without any byte.
      setTimeout(() => this.closeConnections(({ bytesRead }) => bytesRead === 0), CHECK_INTERVAL_MS).unref();
      setTimeout(() => this.closeConnections(), this.requestTimeoutMs).unref();
    });
    return this;
  }

  /**
   * Waits until the connections in the system's queue are accepted. The system would close them and their data, and a
   * proxy does not retry a POST. It does not wait for later connections, because a flood of them must not delay the end
   * of the process.
   */
  private afterWaitingConnections(then: () => void, since = this.accepted): void {
    const before = this.accepted;
    // Wait for a whole turn of the event loop, because the first may have begun before this call.
    setImmediate(() =>
      setImmediate(() => {
        if (this.accepted === before || before - since > MAX_WAITING_CONNECTIONS) then();
        else this.afterWaitingConnections(then, since);
      }),
    );
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
    // The client's next request must go to another process. Close connections from the signal on, because a proxy would
    // otherwise reuse a connection that is being closed. Node.js does not read the data after an upgrade offer.
    if (isShuttingDown() || !this.listening || isCut || req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
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

/**
 * Responds like Node.js does to a late request, even on a proxy's kept connection. A proxy would treat silence as a
 * failure of the process.
 */
function giveUp({ socket }: IncomingMessage, res: ServerResponse): void {
  if (socket.writable && res.socket === socket && !res.headersSent)
    socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}
