import { findNearestName } from './nearest-name';

/**
 * Finds the members of a configured object that are not known: a misspelled one would otherwise be ignored, and with it a rule.
 * @returns one line per member, with the nearest known one
 */
export function describeUnknownKeys(value: unknown, known: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = findNearestName(name, known);
      return `${name} is not known${nearest === undefined ? '' : `; is it ${nearest}?`}`;
    });
}
