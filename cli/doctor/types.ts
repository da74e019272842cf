export const STATES = ['works', 'does not work', 'not configured', 'could not be checked'] as const;
export type State = (typeof STATES)[number];

/** Result of a check. */
export type Finding = {
  what: string;
  state: State;
  /** What was found, in words. */
  detail: string;
  /** What to do about it; null when there is nothing to do. */
  action: string | null;
};
