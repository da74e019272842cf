/**
 * Finds unknown variables that look like an unset variable of ours, because a misspelled name would leave a default in
 * force. Other programs' variables are accepted.
 * @returns one line per name, with the nearest known name
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

const PREFIX = 'NEXT_PUBLIC_';
/** Maximum edits of a misspelling: inserted, removed or replaced characters. */
const MAX_EDITS = 2;

/** Returns the known name that is nearest to a misspelled name, ignoring case. @returns undefined if none is near */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const written = name.toUpperCase();
  const near = known
    .map((candidate) => ({
      candidate,
      edits: Math.min(
        countEdits(written, candidate.toUpperCase()),
        written === candidate.replace(PREFIX, '') || written === PREFIX + candidate ? 1 : Infinity,
      ),
    }))
    .filter(({ edits }) => edits <= MAX_EDITS);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** Returns the Levenshtein distance of two names. */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_EDITS) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? Infinity;
}

/**
 * Finds unknown members of a configured object, because a misspelled member, and its rule, would be ignored.
 * @returns one line per member, with the nearest known name
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
