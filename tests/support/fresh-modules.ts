import { afterAll, vi } from 'vitest';

// The files of a worker share one process, since starting one for each costs more CPU time than the tests. Each still loads
// modules of its own, and what those keep for the life of a process (lib/server/runtime/process.ts): configuration, caches.
vi.resetModules();
Reflect.deleteProperty(globalThis, Symbol.for('learner-identity.process-wide'));

const variables = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
});
