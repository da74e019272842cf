import { findNearestName } from './nearest-name';

/**
 * Finds variables that are not ours and look like one of ours that is not set: a misspelled name would otherwise leave
 * a default in force. Other programs' variables pass.
 * @returns one line per name, with the nearest known one
 */
export function findMisspelledNames(variables: Record<string, string | undefined>, known: readonly string[]): string[] {
  const unset = known.filter((name) => !variables[name]);
  return Object.keys(variables)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const nearest = findNearestName(name, unset);
      return nearest === undefined ? [] : [`${name}: is not known; is it ${nearest}?`];
    });
}
