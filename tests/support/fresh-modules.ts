import { afterAll, vi } from 'vitest';
import { endProviderClients } from './provider';

// The files of a worker share one process, because a new process and its libraries cost more CPU time than the
// tests. Each file still loads its own modules and their process-wide state
// (lib/server/runtime/process.ts, lib/shared/error-reporting/report.ts): configuration, caches and connections. Work
// that outlives a file is ended with it.
const REGISTRY = Symbol.for('learner-identity.process-wide');
type Kept = Map<string, unknown> & {
  get(name: 'redis'): Promise<{ disconnect: () => void } | null> | undefined;
  get(name: 'email-transport'): { close: () => void } | undefined;
};

vi.resetModules();
await endProviderClients();
for (const name of Object.getOwnPropertySymbols(globalThis))
  if (Symbol.keyFor(name)?.startsWith('learner-identity.')) Reflect.deleteProperty(globalThis, name);
// The client for error reports.
Reflect.deleteProperty(globalThis, '__SENTRY__');

const variables = { ...process.env };
const { setInterval: startInterval } = globalThis;
const intervals: ReturnType<typeof setInterval>[] = [];
globalThis.setInterval = Object.assign((...args: Parameters<typeof setInterval>) => {
  const interval = startInterval(...args);
  intervals.push(interval);
  return interval;
}, startInterval);

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  globalThis.setInterval = startInterval;
  intervals.forEach((interval) => clearInterval(interval));
  const kept = Reflect.get(globalThis, REGISTRY) as Kept | undefined;
  (await kept?.get('redis'))?.disconnect();
  kept?.get('email-transport')?.close();
  await endProviderClients();
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
});
