import type { CallbackRefusal } from '@/lib/callback/rules';
import { log } from './log';
import { processWide } from './process-wide';

const counts = () => processWide('counters', () => new Map<string, number>());

/** Counts a refused callback by the rule that refused it. The address itself is nobody's business. */
export function countRefusedCallback(reason: CallbackRefusal): void {
  count(`callback_refused.${reason}`);
  log().info({ reason }, 'callback refused');
}

/** Counts a violation of a page's policy by its directive. */
export function countPolicyViolation(directive: string): void {
  count(`csp_violation.${directive}`);
}

/** Adds one to a counter of this process. @param name one of a few fixed names, never made of what a visitor sent */
function count(name: string): void {
  counts().set(name, (counts().get(name) ?? 0) + 1);
}

/** What this process has counted since it started. */
export function readCounters(): Record<string, number> {
  return Object.fromEntries(counts());
}
