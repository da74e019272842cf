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
 * Listens for session checks, health and metrics beside the framework's server, whose way to a route costs many times what a
 * check does (docs/adr/0039). It says that the process lives before that server listens (docs/adr/0043).
 * @throws the error of Node.js when the port cannot be listened on
 */
export async function openCheckListener(port: number, host: string): Promise<GuardedServer> {
  const server = new GuardedServer(
    (req, res) => {
      // Without an answer, a proxy asks another process, which it can do for a check.
      if (isStarting() && getPath(req) === sessionApiPaths.checkAuthStatus) res.destroy();
      else if (!hasBody(req)) answer(req, res);
      // A body that breaks the protocol is refused by Node.js, which has to read first what came with the headers.
      else if (res.shouldKeepAlive) queueMicrotask(() => answer(req, res));
      // The rest of a body would meet a connection that is closed, and its client would lose the answer.
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
 * Passes all headers on with the status: what Node.js does for each one that is set takes a tenth of the time of a check. These calls set
 * headers by `setHeader` alone.
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

  /** @param headers its own, where Node.js answers: a request without a host is the last one of its connection */
  override writeHead(status: number, headers: unknown = this.headers): this {
    return super.writeHead(status, headers as OutgoingHttpHeaders);
  }
}

/** Gives a call what it reads of the framework's requests: these calls read no body and no query. */
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

/** As the framework does: without quotes, and undecoded where the encoding is wrong. */
function decodeCookie(value: string): string {
  const text = value.startsWith('"') ? value.slice(1, -1) : value;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
