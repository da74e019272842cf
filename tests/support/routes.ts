import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { apiResolver } from 'next/dist/server/api-utils/node/api-resolver';

const root = path.resolve(import.meta.dirname, '../../pages');
const apiContext = { previewModeId: '', previewModeEncryptionKey: '', previewModeSigningKey: '', dev: false };

type Route = { file: string; pattern: RegExp; names: string[] };
export type RunningRoutes = { origin: string; close: () => Promise<void> };

/** Serves the app's API routes over HTTP, each through the code with which Next calls it. */
export async function serveRoutes(port = 0): Promise<RunningRoutes> {
  const routes = listRoutes();
  const server = createServer((req, res) => {
    answer(routes, req, res).catch((error: unknown) => {
      console.error(error);
      res.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

async function answer(routes: Route[], req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const route = routes.find(({ pattern }) => pattern.test(url.pathname));
  if (!route) {
    res.writeHead(404).end();
    return;
  }
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

/** Fixed addresses before those with a parameter, as Next does. */
function listRoutes(): Route[] {
  const files = readdirSync(path.join(root, 'api'), { recursive: true, encoding: 'utf8' });
  const routes = files
    .filter((name) => /(?<!\.test)\.ts$/.test(name))
    .map((name) => toRoute(name.replace(/\.ts$/, '')));
  return routes.sort((a, b) => a.names.length - b.names.length);
}

function toRoute(name: string): Route {
  const names = [...name.matchAll(/\[((?:\.\.\.)?\w+)\]/g)].flatMap(([, parameter]) => parameter ?? []);
  const address = name
    .replace(/\/index$/, '')
    .replaceAll(/\[\.\.\.\w+\]/g, '(.+)')
    .replaceAll(/\[\w+\]/g, '([^/]+)');
  const pattern = new RegExp(`^/api/${address}/?$`);
  return { file: path.join(root, 'api', `${name}.ts`), pattern, names };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
