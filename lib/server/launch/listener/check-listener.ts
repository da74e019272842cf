import { ServerResponse, type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { NextApiRequest, NextApiResponse } from 'next';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerSettings, isStarting, settle } from '@/lib/server/runtime';
import { checkCalls } from '@/lib/server/web';
import { sessionApiPaths } from '@/lib/shared/api-paths';
import { GuardedServer, findRefusal, hasBody, type Refusal } from './guarded-server';

const NOT_HERE: Refusal = { status: 404, headers: {} };

/**
 * Opens a listener for session checks, health and metrics in addition to the framework's server. The framework's
 * routing costs many times as much as a check (docs/adr/0039). This listener reports liveness before that server
 * listens (docs/adr/0043).
 * @throws the error of Node.js if the port is not available
 */
export async function openCheckListener(port: number, host: string): Promise<GuardedServer> {
  const server = new GuardedServer(
    (req, res) => {
      // Send no response, so that a proxy retries a check at another process.
      if (isStarting() && getPath(req) === sessionApiPaths.checkAuthStatus) res.destroy();
      else if (!hasBody(req)) answer(req, res);
      // Node.js refuses a malformed body, but must first read the bytes that came with the headers.
      else if (res.shouldKeepAlive) queueMicrotask(() => answer(req, res));
      // If the connection closed now, the rest of the body would hit a closed connection and the client would lose the
      // response.
      else req.once('end', () => answer(req, res)).resume();
    },
    getServerSettings(),
    (req) => (checkCalls.has(getPath(req)) ? findRefusal(req) : NOT_HERE),
    QuickResponse,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function getPath({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?', 1)[0] ?? '';
}

/**
 * Passes all headers on together with the status, because setting each header in Node.js takes a tenth of a check's
 * time. These routes set headers only by `setHeader`.
 */
class QuickResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  private readonly headers: OutgoingHttpHeaders = {};

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.headers[name.toLowerCase()] = value as OutgoingHttpHeader;
    return this;
  }

  override getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.headers[name.toLowerCase()];
  }

  override hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  /** @param headers headers of Node.js itself, for a request without a host, which is the last of its connection */
  override writeHead(status: number, headers: unknown = this.headers): this {
    return super.writeHead(status, headers as OutgoingHttpHeaders);
  }
}

/** Handles a call with the request members that these routes read. They read no body and no query. */
function answer(req: IncomingMessage, res: ServerResponse): void {
  const cookies = parseCookie(req.headers.cookie ?? '', { decode: decodeCookie });
  void settle(
    () => checkCalls.get(getPath(req))?.(Object.assign(req, { cookies }) as NextApiRequest, res as NextApiResponse),
    () => undefined,
    (error) => {
      reportError(error, { during: 'answering a session check' });
      res.destroy();
    },
  );
}

/** Decodes a cookie like the framework: without quotes, and unchanged if the encoding is invalid. */
function decodeCookie(value: string): string {
  const text = value.startsWith('"') ? value.slice(1, -1) : value;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
