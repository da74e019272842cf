const REGISTRY = Symbol.for('learner-identity.process-wide');

/**
 * One value for the whole process. Pages, API routes and the start hook are bundled apart, so a module's own
 * variable can exist several times; what must be one (stores, caches, connections) is kept here.
 */
export function processWide<T>(name: string, make: () => T): T {
  const holder = globalThis as { [REGISTRY]?: Map<string, unknown> };
  const registry = (holder[REGISTRY] ??= new Map());
  if (!registry.has(name)) registry.set(name, make());
  return registry.get(name) as T;
}
