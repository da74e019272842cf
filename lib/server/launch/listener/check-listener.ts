import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie } from 'cookie';
import type { NextApiRequest, NextApiResponse } from 'next';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerSettings } from '@/lib/server/runtime';
import { checkCalls } from '@/lib/server/web';
import { GuardedServer, findRefusal, type Refusal } from './guarded-server';

const NOT_HERE: Refusal = { status: 404, headers: {} };

/**
 * Listens for session checks, health and metrics beside the framework's server, whose way to a route costs many times what a
 * check does (docs/adr/0039).
 * @param host all addresses by default
 * @throws the error of Node.js when the port cannot be listened on
 */
export async function openCheckListener(port: number, host?: string): Promise<GuardedServer> {
  const server = new GuardedServer(
    (req, res) => void answer(req, res),
    getServerSettings(),
    (req) => (checkCalls.has(getPath(req)) ? findRefusal(req) : NOT_HERE),
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

/** Gives a call what it reads of the framework's requests: these calls read no body and no query. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const cookies = parseCookie(req.headers.cookie ?? '', { decode: decodeCookie });
  try {
    await checkCalls.get(getPath(req))?.(Object.assign(req, { cookies }) as NextApiRequest, res as NextApiResponse);
  } catch (error) {
    reportError(error, { during: 'answering a session check' });
    res.destroy();
  }
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
