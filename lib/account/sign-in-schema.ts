export type SignInValues = { email: string; password: string };

/** Something, an at, and a host with a dot: whether the address exists the identity provider knows. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/**
 * What the sign-in form asks for. Messages are keys of the `common` namespace. A Standard Schema like all others, written
 * out: this form is the one that everybody loads, and two rules are not worth the whole of zod (docs/adr/0019).
 */
export const signInSchema = { '~standard': { version: 1, vendor: 'learner-identity', validate } } as const;

type Result = { value: SignInValues } | { issues: { path: [keyof SignInValues]; message: string }[] };

function validate(input: unknown): Result {
  const { email = '', password = '' } = input as Partial<SignInValues>;
  const trimmed = email.trim();
  const issues: Extract<Result, { issues: unknown }>['issues'] = [];
  if (!EMAIL.test(trimmed)) issues.push({ path: ['email'], message: 'fields.emailInvalid' });
  if (password === '') issues.push({ path: ['password'], message: 'fields.passwordMissing' });
  return issues.length > 0 ? { issues } : { value: { email: trimmed, password } };
}
