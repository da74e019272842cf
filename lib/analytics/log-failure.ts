import { redact } from '@/lib/redaction';

/** Analytics errors are logged to the console and swallowed (specification, section 8). */
export function logFailure(...what: unknown[]): void {
  console.warn('analytics:', ...what.map((part) => redact(part instanceof Error ? part.message : part)));
}
