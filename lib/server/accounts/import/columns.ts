import { escapeControls, findNearestName } from '@/lib/server/runtime';
import { COLUMNS } from './rows';

export type Columns = { names: string[]; kept: string[] };

/**
 * Checks the columns of a file before any row is read: a mistyped one would import everyone without what it holds.
 * @param ignored columns to leave out
 * @throws Error naming each problem, and never a value of a file whose header is missing
 */
export function getColumns(names: string[], ignored: readonly string[]): Columns {
  const known: readonly string[] = COLUMNS;
  const unknown = names.filter((name) => !known.includes(name) && !ignored.includes(name));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (!names.includes('email'))
    throw new Error(
      names.some((name) => !/^[\w -]{1,64}$/.test(name)) || names.length === 0
        ? 'The file has no header, or is not UTF-8: the first line must name the columns, email among them.'
        : `There is no column email. Columns: ${list(names)}`,
    );
  if (twice !== undefined) throw new Error(`The column ${escapeControls(twice)} occurs twice.`);
  if (unknown.length > 0) throw new Error(describeUnknown(unknown, names));
  return { names, kept: names.filter((name) => known.includes(name) && !ignored.includes(name)) };
}

function describeUnknown(unknown: string[], names: string[]): string {
  const free = COLUMNS.filter((name) => !names.includes(name));
  const lines = unknown.map((name) => {
    const nearest = findNearestName(name, free);
    return `The column ${escapeControls(name)} is unknown${nearest === undefined ? '' : `; is it ${nearest}?`}`;
  });
  return [...lines, `Known: ${COLUMNS.join(', ')}. To leave a column out: --ignore ${list(unknown, ',')}`].join('\n');
}

const list = (names: string[], separator = ', ') => names.map(escapeControls).join(separator);
