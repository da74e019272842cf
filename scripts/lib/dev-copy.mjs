import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SOURCES } from './app.mjs';
import { root } from './paths.mjs';
import { freePorts, isPortFree } from './ports.mjs';
import { signalGroup, startService, waitUntilLogged } from './processes.mjs';
import { runDir } from './test-steps.mjs';

const PORTS = /** @type {const} */ (['APP_PORT', 'PLATFORM_PORT', 'EMULATOR_PORT', 'SMTP_PORT', 'MAILBOX_PORT']);
const READY = 'Ctrl-C stops everything';

/** Runs `npm run dev` on free ports, in a copy of the source that a test or bench may edit. */
export async function startDevCopy() {
  // Below the project: Turbopack rejects a node_modules that links outside its root.
  const dir = path.join(runDir, `dev-${process.pid}`);
  copySource(dir);

  const ports = await freePorts(PORTS.length);
  const given = Object.fromEntries(PORTS.map((name, i) => [name, String(ports[i])]));
  const service = startService('npm-run-dev', [process.execPath, 'scripts/dev.mjs'], {
    cwd: dir,
    env: { ...process.env, ...given },
    logDir: dir,
  });
  /** Presses Ctrl-C. @returns {Promise<number[]>} the ports that are still in use afterwards */
  const interrupt = async () => {
    signalGroup(service.pid, 'SIGINT');
    await service.exited;
    const free = await Promise.all(ports.map(isPortFree));
    return ports.filter((_, i) => !free[i]);
  };
  const remove = async () => {
    // Stop gracefully, not by force: child processes would be left running.
    if (service.isRunning()) await interrupt();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  await waitUntilLogged(service, READY).catch(async (error) => {
    await remove();
    throw error;
  });

  const at = (/** @type {string} */ name) => `http://localhost:${given[name] ?? ''}`;
  return {
    ...{ appOrigin: at('APP_PORT'), platformOrigin: at('PLATFORM_PORT'), mailboxUrl: at('MAILBOX_PORT') },
    /** Replaces part of a file of the copy. @param {string} file @param {string} from @param {string} to */
    edit(file, from, to) {
      const place = path.join(dir, file);
      const text = readFileSync(place, 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
      writeFileSync(place, text.replace(from, to));
    },
    interrupt,
    remove,
  };
}

/** @param {string} dir */
function copySource(dir) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  for (const name of [...SOURCES, 'examples', 'package.json'])
    cpSync(path.join(root, name), path.join(dir, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'), 'junction');
}
