import type { ProblemCode } from '@/lib/shared/problem';
import recorded from './examples.json';

/** Responses of a test run, by what they say; recorded and redacted by `npm run docs:examples`. */
export type RecordedExamples = {
  /** By operation id: a call can have several shapes of response. */
  responses: Partial<Record<string, readonly unknown[]>>;
  problems: Partial<Record<string, object>>;
  oauthErrors: Partial<Record<string, object>>;
};
const all: RecordedExamples = recorded;

/** @param operations ids of the calls with this response; equal bodies become one example */
export function describeResponseExamples(operations: readonly string[]) {
  const examples = operations.flatMap((id) =>
    (all.responses[id] ?? []).map((value, i) => ({ name: i === 0 ? id : `${id}-${i + 1}`, value })),
  );
  const isFirst = ({ value }: { value: unknown }, i: number) =>
    examples.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(value)) === i;
  return toExamples(examples.filter(isFirst).map(({ name, value }) => [name, value]));
}

export function describeProblemExamples(codes: readonly ProblemCode[]) {
  return toExamples(codes.map((code) => [code, all.problems[code]]));
}

export function describeOAuthExamples(errors: readonly string[]) {
  return toExamples(errors.map((error) => [error, all.oauthErrors[error]]));
}

function toExamples(entries: readonly (readonly [string, unknown])[]) {
  const found = entries.filter(([, value]) => value !== undefined);
  return found.length > 0 ? { examples: Object.fromEntries(found.map(([name, value]) => [name, { value }])) } : {};
}
