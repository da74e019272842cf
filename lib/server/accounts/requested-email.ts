import * as z from 'zod';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { CODE_TTL_SECONDS, seal, unseal } from '@/lib/server/codes';
import type { FlowContext } from '@/lib/server/notifications';

/**
 * What a browser waits for. `uid`: the account, or the id that a registration gives to its account. `registration`
 * identifies this confirmation request. The link of another request proves the mailbox, but not that this browser
 * requested it. `presentedMethod`: the sign-in method that the browser registered or signed in with. `presentedSubject`:
 * the provider's id of that identity, null for a password. `isRegistration`: whether the code creates the account.
 * Otherwise a sign-in waits for it.
 */
export type PendingConfirmation = {
  uid: string;
  email: string;
  registration: string;
  presentedMethod: string;
  presentedSubject: string | null;
  isRegistration: boolean;
};

/**
 * An email that signs in. `request`: shared by its code and its link, because only one of them can be used. The previous
 * release wrote neither a code nor a request.
 */
export type SignInEmail = { email: string; code?: string; request?: string };

/**
 * An email that a request asks for, with all data for sending it. These are plain data, so they outlive the process.
 */
export type RequestedEmail =
  | { kind: 'reset'; email: string; code: string }
  | { kind: 'confirmation'; pending: PendingConfirmation; code: string }
  | { kind: 'sign-in-help' | 'support-reset'; email: string }
  | ({ kind: 'sign-in-link' } & SignInEmail)
  | { kind: 'factor-reset-code'; email: string; code: string }
  /** `change`: its id in `email_changes`. */
  | { kind: 'email-change' | 'recovery-email'; email: string; code: string; uid: string; change: string };

export type RequestedEmailKind = RequestedEmail['kind'];

/** The previous release has named the emails of its registrations like this. The same email is sent for them. */
const FORMER_KINDS: readonly string[] = ['registration', 'registration-again'];

/** The kinds that this version can send. During an update, other kinds are left to the newer version. */
export const REQUESTED_EMAIL_KINDS = Object.keys({
  reset: true,
  confirmation: true,
  'sign-in-help': true,
  'sign-in-link': true,
  'factor-reset-code': true,
  'email-change': true,
  'recovery-email': true,
  'support-reset': true,
} satisfies Record<RequestedEmailKind, true>).concat(FORMER_KINDS);

/**
 * The response's result, made without the account, and the email, for which the account is read behind the response.
 */
export type PreparedEmail<T> = { result: T; email: RequestedEmail };

/** How long a requested email is useful, in seconds, which is the lifetime of its code. */
export const REQUESTED_EMAIL_TTL_SECONDS = CODE_TTL_SECONDS;

/** `at`: time of the request, in milliseconds since 1970. */
export type EmailOrder = { id: string; at: number; email: RequestedEmail; context: FlowContext };

const sealedSchema = z.object({
  /** Versions before 2026-11-27 did not write it. */
  at: z.number().optional(),
  email: z.custom<RequestedEmail>(),
  context: z.custom<FlowContext>(),
});

/**
 * Encrypts an order for the database, because it contains an address and a code.
 * Padding hides most of its length. After it expires, it is not sent.
 */
export function sealOrder({ id, ...order }: EmailOrder): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + REQUESTED_EMAIL_TTL_SECONDS;
  return seal({ jti: id, mark: '', payload: { order: JSON.stringify(order) }, exp }, getKeys());
}

/**
 * Decrypts an order of this version or of the previous release.
 * @param createdAt when its row was written, which is the time of the order if the order does not state it
 * @throws ApiProblem `code-expired`; `code-missing` if no configured secret has sealed it
 */
export async function openOrder(sealed: string, createdAt: Date): Promise<EmailOrder> {
  const { jti, payload } = await unseal(sealed, getKeys());
  const { at = createdAt.getTime(), email, context } = sealedSchema.parse(JSON.parse(payload.order ?? '{}'));
  return { id: jti, at, email: toPresentKind(email), context };
}

const toPresentKind = (email: RequestedEmail): RequestedEmail =>
  FORMER_KINDS.includes(email.kind) ? ({ ...email, kind: 'confirmation' } as RequestedEmail) : email;

const getKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'requested-email');
