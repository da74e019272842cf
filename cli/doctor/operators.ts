import { formatFileProblem } from '@/lib/server/policy';
import { readOperatorsFile } from '@/lib/server/support';
import { works, fails, type Finding } from './types';

const what = 'OPERATORS_FILE';

/** The entries of `OPERATORS_FILE`. Without the file there is no support desk, and nothing to check. */
export async function checkOperators(): Promise<Finding[]> {
  const file = await readOperatorsFile();
  if (file === null) return [];
  const action = 'Correct these entries: docs/support/index.md';
  const describe = (problem: (typeof file.problems)[number]) => formatFileProblem(what, problem);
  if (file.problems.length > 0) return [fails(what, file.problems.map(describe).join('; '), action)];
  const noted = file.notes.map((note) => `; ${describe(note)}`).join('');
  return [works(what, `${file.path} has no problems${noted}`)];
}
