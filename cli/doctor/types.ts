const STATES = ['works', 'does not work', 'not configured', 'could not be checked'] as const;
type State = (typeof STATES)[number];

export type Finding = {
  what: string;
  state: State;
  /** Description of the finding. */
  detail: string;
  /** What the operator should do, or null if nothing. */
  action: string | null;
};

export function works(what: string, detail: string, action: string | null = null): Finding {
  return { what, state: 'works', detail, action };
}

export function fails(what: string, detail: string, action: string | null): Finding {
  return { what, state: 'does not work', detail, action };
}

export function notConfigured(what: string, detail: string, action: string | null = null): Finding {
  return { what, state: 'not configured', detail, action };
}

export function unchecked(what: string, detail: string, action: string | null = null): Finding {
  return { what, state: 'could not be checked', detail, action };
}

/** Formats a row per finding: check, state and detail, with the action on a separate line. */
export function formatFindings(findings: readonly Finding[]): string {
  const what = Math.max(...findings.map((finding) => finding.what.length));
  const state = Math.max(...STATES.map((each) => each.length));
  const rows = findings.map((finding) => {
    const row = `${finding.what.padEnd(what)}  ${finding.state.padEnd(state)}  ${finding.detail}`;
    return finding.action === null ? row : `${row}\n${' '.repeat(what + state + 4)}→ ${finding.action}`;
  });
  return rows.join('\n');
}
