import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiResolver } from 'next/dist/server/api-utils/node/api-resolver';
import { getRouteMatcher } from 'next/dist/shared/lib/router/utils/route-matcher';
import { getRouteRegex } from 'next/dist/shared/lib/router/utils/route-regex';
import { getSortedRoutes } from 'next/dist/shared/lib/router/utils/sorted-routes';
import { allApiFiles, WITHOUT_DESCRIPTION } from '../../scripts/lib/api-files.mjs';
import { complaintAbout } from './api-description';
import { listen } from './listen';
import { findWaitsForItself } from './own-turn';
import { recordAnswer } from './record-answer';

const apiContext = { previewModeId: '', previewModeEncryptionKey: '', previewModeSigningKey: '', dev: false };

type Route = ReturnType<typeof listRoutes>[number];
/** @param file path such as `/pages/api/…` */
type Load = (file: string) => unknown;
const loadSource: Load = (file) => import(/* @vite-ignore */ `../..${file}`);
export type RunningRoutes = {
  origin: string;
  /** @throws Error if a response did not match docs/openapi.json, or a change of an account waited for itself */
  close: () => Promise<void>;
};

/**
 * Serves the app's API routes over HTTP, each through the code with which Next calls it. It validates every response
 * against the API description.
 * @param load loads the module of a route
 */
export async function serveRoutes(port = 0, load: Load = loadSource): Promise<RunningRoutes> {
  const routes = listRoutes();
  const complaints = new Set<string>();
  const waits = findWaitsForItself();
  const server = await listen((req, res) => {
    answer(routes, load, req, res, complaints).catch((error: unknown) => {
      console.error(error);
      res.writeHead(500).end();
    });
  }, port);
  return {
    origin: `http://localhost:${server.port}`,
    close: async () => {
      await server.stop();
      if (complaints.size > 0) throw new Error(`Not as docs/openapi.json has it:\n${[...complaints].join('\n')}`);
      if (waits.size > 0) throw new Error([...waits].join('\n'));
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
    // Recorded before it is sent, because a test may end this process as soon as it has the response.
    recordAnswer(getSeen());
    return end(...args);
  };
  const getSeen = () => ({
    method: req.method ?? '',
    path,
    status: res.statusCode,
    type: String(res.getHeader('content-type') ?? ''),
    headers: res.getHeaderNames(),
    body: Buffer.concat(chunks).toString('utf8'),
  });
  res.once('finish', () => {
    const seen = getSeen();
    const complaint = complaintAbout(seen);
    if (complaint !== null) complaints.add(`${seen.method} ${path} ${seen.status}: ${complaint}`);
  });
}

async function answer(
  routes: Route[],
  load: Load,
  req: IncomingMessage,
  res: ServerResponse,
  complaints: Set<string>,
): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  for (const { route, path, file, match } of routes) {
    const parameters = match(url.pathname);
    if (parameters === false) continue;
    if (!WITHOUT_DESCRIPTION.includes(route)) watchAnswer(path, req, res, complaints);
    const handlers = await load(file);
    const query = { ...Object.fromEntries(url.searchParams), ...parameters };
    return apiResolver(req, res, query, handlers, apiContext, false);
  }
  res.writeHead(404).end();
}

/** Lists all API routes in Next's order of precedence. */
function listRoutes() {
  const files = allApiFiles();
  return getSortedRoutes(files.map(({ route }) => route)).flatMap((route) => {
    const match = getRouteMatcher(getRouteRegex(route));
    return files.filter((file) => file.route === route).map((file) => ({ ...file, match }));
  });
}
