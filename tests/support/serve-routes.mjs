// Serves the API routes in a process of its own, with its own configuration and memory.
import path from 'node:path';
import { createViteServer } from 'vitest/node';

const root = path.resolve(import.meta.dirname, '../..');
const vite = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, watch: null, hmr: false, ws: false },
  optimizeDeps: { noDiscovery: true },
  resolve: { alias: { '@': root } },
});
const { serveRoutes } = await vite.ssrLoadModule('/tests/support/routes.ts');
const { origin } = await serveRoutes(Number(process.env.PORT));
console.log(`serving ${origin}`);
