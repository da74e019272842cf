import { redactText } from '@/lib/shared/redaction/redact';
import { ConfigurationError } from '@/lib/server/runtime';
import { describeRecordsError, isRecordsError } from '@/lib/server/storage';

const MAX_CAUSES = 5;

/** Describes an error with its causes in one line, for an operator. A configuration error has a line per problem. */
export function describeError(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (isRecordsError(error)) {
    const { reason, action } = describeRecordsError(error);
    return `The database: ${reason}. ${action}.`;
  }
  const messages: string[] = [];
  for (let at = error; at && messages.length < MAX_CAUSES; at = at instanceof Error ? at.cause : undefined) {
    const message = getMessage(at);
    if (message !== '' && !messages.some((earlier) => earlier.includes(message))) messages.push(message);
  }
  return redactText(messages.join(': '));
}

/** An aggregate of several refused connections has an empty message, so its code is used. */
function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : '';
  const { code } = error as { code?: unknown };
  return error.message || (typeof code === 'string' ? code : error.name);
}
