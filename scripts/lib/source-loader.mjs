import { createViteServer } from 'vitest/node';
import { root } from './paths.mjs';

/**
 * Runs TypeScript of the app in this process, without a build.
 * @template T
 * @param {(load: (file: string) => Promise<any>) => Promise<T>} work `load` takes a file as `/lib/…`
 * @returns {Promise<T>}
 */
export async function withSource(work) {
  const { load, close } = await openSource();
  try {
    return await work(load);
  } finally {
    await close();
  }
}

/**
 * The same for a long-running process.
 * @returns {Promise<{ load: (file: string) => Promise<any>, close: () => Promise<void> }>}
 */
export async function openSource() {
  const vite = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, hmr: false, ws: false },
    optimizeDeps: { noDiscovery: true },
    resolve: { alias: { '@': root } },
  });
  return { load: (file) => vite.ssrLoadModule(file), close: () => vite.close() };
}
