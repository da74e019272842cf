import { processWide } from '../process-wide';

export type Dependency = 'redis' | 'database' | 'identity_provider' | 'mail';

const states = () => processWide('dependency-states', () => new Map<Dependency, boolean>());

/**
 * Records whether a dependency answered the last call to it, an error of the caller included. No gauge: Redis answers
 * several calls of every request.
 */
export function recordDependency(dependency: Dependency, isUp: boolean): void {
  states().set(dependency, isUp);
}

/** The dependencies that this process has called. */
export function getDependencyStates(): readonly (readonly [Dependency, boolean])[] {
  return [...states()];
}
