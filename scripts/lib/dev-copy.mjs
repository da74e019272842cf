import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SOURCES } from './app.mjs';
import { root, runDir } from './paths.mjs';
import { isPortFree } from './ports.mjs';
import { signalGroup, startService, waitUntilLogged } from './processes.mjs';
import { chooseFreePorts } from './stack.mjs';

const READY = 'Ctrl-C stops everything';

/** Runs `npm run dev` on free ports, in a copy of the source that a test or benchmark may edit. */
export async function startDevCopy() {
  // The copy is below the project, because Turbopack rejects a node_modules that links outside its root.
  const dir = path.join(runDir, `dev-${process.pid}`);
  copySource(dir);

  const ports = await chooseFreePorts();
  const env = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
  const command = [process.execPath, 'scripts/dev.mjs'];
  const service = startService('npm-run-dev', command, { cwd: dir, env, logDir: dir });
  /** Presses Ctrl-C. @returns {Promise<number[]>} the ports that are still in use afterwards */
  const interrupt = async () => {
    signalGroup(service.pid, 'SIGINT');
    await service.exited;
    const all = Object.values(ports);
    const free = await Promise.all(all.map(isPortFree));
    return all.filter((_, i) => !free[i]);
  };
  const remove = async () => {
    // Stop gracefully, because a forced stop would leave child processes running.
    if (service.isRunning()) await interrupt();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  await waitUntilLogged(service, READY).catch(async (error) => {
    await remove();
    throw error;
  });

  return {
    appOrigin: `http://localhost:${ports.APP_PORT}`,
    platformOrigin: `http://localhost:${ports.PLATFORM_PORT}`,
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
