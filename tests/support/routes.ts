import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { getAddress, apiNames } from '../../scripts/lib/api-files.mjs';
import { apiResolver } from 'next/dist/server/api-utils/node/api-resolver';
import { complaintAbout } from './api-description';
import { listen } from './listen';

const root = path.resolve(import.meta.dirname, '../../pages');
const apiContext = { previewModeId: '', previewModeEncryptionKey: '', previewModeSigningKey: '', dev: false };

/** `described` is the path as in docs/openapi.json; the catch-all route is not described. */
type Route = { file: string; described: string | null; pattern: RegExp; names: string[] };
export type RunningRoutes = {
  origin: string;
  /** @throws Error when a response did not match docs/openapi.json */
  close: () => Promise<void>;
};

/**
 * Serves the app's API routes over HTTP, each through the code with which Next calls it. Every response is validated
 * against the API description.
 */
export async function serveRoutes(port = 0): Promise<RunningRoutes> {
  const routes = listRoutes();
  const complaints = new Set<string>();
  const server = await listen((req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost');
    const route = routes.find(({ pattern }) => pattern.test(url.pathname));
    if (!route) return void res.writeHead(404).end();
    if (route.described) watchAnswer(route.described, req, res, complaints);
    answer(route, url, req, res).catch((error: unknown) => {
      console.error(error);
      res.writeHead(500).end();
    });
  }, port);
  return {
    origin: `http://localhost:${server.port}`,
    close: async () => {
      await server.stop();
      if (complaints.size > 0) throw new Error(`Not as docs/openapi.json has it:\n${[...complaints].join('\n')}`);
    },
  };
}

/** Records the response for validation. */
function watchAnswer(path: string, req: IncomingMessage, res: ServerResponse, complaints: Set<string>): void {
  const chunks: Buffer[] = [];
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
  res.end = (...args: unknown[]) => {
    const [last] = args;
    if (typeof last === 'string' || last instanceof Uint8Array) chunks.push(Buffer.from(last));
    return end(...args);
  };
  res.once('finish', () => {
    const seen = {
      method: req.method ?? '',
      path,
      status: res.statusCode,
      type: String(res.getHeader('content-type') ?? ''),
      retryAfter: res.hasHeader('retry-after'),
      body: Buffer.concat(chunks).toString('utf8'),
    };
    const complaint = complaintAbout(seen);
    if (complaint !== null) complaints.add(`${seen.method} ${path} ${seen.status}: ${complaint}`);
  });
}

async function answer(route: Route, url: URL, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const found = (route.pattern.exec(url.pathname) ?? []).slice(1);
  const values = found.map((value, i) =>
    route.names[i]?.startsWith('...') ? value.split('/').map(decodeURIComponent) : decodeURIComponent(value),
  );
  const query = {
    ...Object.fromEntries(url.searchParams),
    ...Object.fromEntries(route.names.map((name, i) => [name.replace('...', ''), values[i]])),
  };
  const handlers: unknown = await import(/* @vite-ignore */ route.file);
  await apiResolver(req, res, query, handlers, apiContext, false);
}

/**
 * In each path segment, static names take precedence over parameters, and parameters over catch-all ones, as in Next.
 */
function listRoutes(): Route[] {
  const rank = (name: string) => name.replaceAll('[...', '\uffff').replaceAll('[', '\ufffe');
  return apiNames()
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map(toRoute);
}

function toRoute(name: string): Route {
  const names = [...name.matchAll(/\[((?:\.\.\.)?\w+)\]/g)].flatMap(([, parameter]) => parameter ?? []);
  const address = name
    .replace(/(?:\/index)?\.ts$/, '')
    .replaceAll(/\[\.\.\.\w+\]/g, '(.+)')
    .replaceAll(/\[\w+\]/g, '([^/]+)');
  const pattern = new RegExp(`^/api/${address}/?$`);
  return { file: path.join(root, 'api', name), described: getAddress(name), pattern, names };
}
