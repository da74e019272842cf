import { STATES, type Finding } from './types';

/** One row per finding: what, state, what was found, and what to do in a line of its own. */
export function formatFindings(findings: readonly Finding[]): string {
  const what = Math.max(...findings.map((finding) => finding.what.length));
  const state = Math.max(...STATES.map((each) => each.length));
  const rows = findings.map((finding) => {
    const row = `${finding.what.padEnd(what)}  ${finding.state.padEnd(state)}  ${finding.detail}`;
    return finding.action === null ? row : `${row}\n${' '.repeat(what + state + 4)}→ ${finding.action}`;
  });
  return rows.join('\n');
}
