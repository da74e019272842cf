/** Errors that nobody can do anything about are not reported (specification, section 8). */
type Thrown = { type: string | undefined; message: string };

const GENERIC = ['Error', 'UnhandledRejection', undefined];

const RULES: readonly ((error: Thrown) => boolean)[] = [
  ({ type, message }) => isOneOf(type, ['ReferenceError', ...GENERIC]) && /can't find variable: ?gmo/i.test(message),
  ({ type, message }) =>
    isOneOf(type, ['FirebaseError', ...GENERIC]) && message.includes('auth/network-request-failed'),
  ({ type, message }) => type === 'TypeError' && /null is not an object.*\buid\b/i.test(message),
];

/** @returns whether the error is dropped before it is reported */
export function isDropped(error: Thrown): boolean {
  return RULES.some((rule) => rule(error));
}

function isOneOf(type: string | undefined, types: readonly (string | undefined)[]): boolean {
  return types.includes(type);
}
