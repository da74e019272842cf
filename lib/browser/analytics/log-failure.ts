import { MAX_TEXT_LENGTH, redact } from '@/lib/shared/redaction/redact';

/** Analytics errors are logged to the console and swallowed (docs/product.md#error-codes). */
export function logFailure(...args: unknown[]): void {
  console.warn(
    'analytics:',
    ...args.map((part) =>
      redact(part instanceof Error ? part.message : part, { maxLength: MAX_TEXT_LENGTH.analytics }),
    ),
  );
}
