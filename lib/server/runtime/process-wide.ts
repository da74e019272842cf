const REGISTRY = Symbol.for('learner-identity.process-wide');

/**
 * One value for the whole process. Pages, API routes and the instrumentation hook are bundled separately, so a module's
 * own variable can exist several times; singletons (stores, caches, connections) are kept here.
 */
export function processWide<T>(name: string, make: () => T): T {
  const holder = globalThis as { [REGISTRY]?: Map<string, unknown> };
  const registry = (holder[REGISTRY] ??= new Map());
  if (!registry.has(name)) registry.set(name, make());
  return registry.get(name) as T;
}
