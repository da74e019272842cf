import { buildApp, startApp } from './app.mjs';
import { runLocally } from './local-run.mjs';

const distDir = '.next';

/** Builds the app as it is deployed, and runs it with all services it needs. */
export function runDemo() {
  return runLocally({
    name: 'demo',
    build: (dir) => {
      console.log('Building the app…');
      return buildApp({ distDir, dir });
    },
    startApp: (options) => startApp({ distDir, ...options }),
  });
}
