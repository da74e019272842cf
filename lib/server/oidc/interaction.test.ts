import { UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { FACTORS } from '@/lib/server/policy';
import { TOKEN_METHODS } from '@/lib/shared/sign-in-methods';
import type { RecordedSession } from '@/lib/server/session';
import { toLogin } from './claims';
import { decideInteraction } from './interaction';

const REQUESTED_AT = 1_800_000_000;
/** The user returns two minutes after the client's request. */
const NOW = REQUESTED_AT + 120;
/** Times long before the request, shortly before it (within the clock skew), and after it. */
const TIMES = { old: REQUESTED_AT - 3_600, close: REQUESTED_AT - 5, later: REQUESTED_AT + 60 };

const SESSIONS = [
  null,
  ...([1, 2] as const).flatMap((assurance) =>
    Object.values(TIMES).map((authenticatedAt) => ({ subject: 'own', assurance, authenticatedAt })),
  ),
];
const PROMPTS = [undefined, 'login', 'select_account', 'consent', 'login consent'];
const MAX_AGES = [undefined, '0', '60', '86400'];
/** Each has the minimum number of factors that the client accepts. */
const ACR_VALUES: [string | undefined, 1 | 2][] = [
  [undefined, 1],
  ['aal1', 1],
  ['aal2', 2],
  ['aal2 aal1', 1],
  ['urn:unknown', 1],
];
const REASONS = [[], ['id_token_hint']];

/** Of `id_token_hint`. */
const SUBJECTS = [undefined, 'own', 'other'];

const cells = SESSIONS.flatMap((session) =>
  PROMPTS.flatMap((prompt) =>
    MAX_AGES.flatMap((maxAge) =>
      ACR_VALUES.flatMap(([acr, needed]) =>
        REASONS.flatMap((reasons) =>
          SUBJECTS.flatMap((subject) =>
            [true, false].map((isOffered) => ({ session, prompt, maxAge, acr, needed, reasons, subject, isOffered })),
          ),
        ),
      ),
    ),
  ),
);

it(`goes on with a session that is what the client asked for, and with no other, in ${String(cells.length)} cells`, () => {
  const counts = { 'sign-in': 0, finish: 0, 'other-account': 0, unmet: 0 };
  for (const { session, prompt, maxAge, acr, needed, reasons, subject, isOffered } of cells) {
    const params = {
      ...(prompt !== undefined && { prompt }),
      ...(maxAge !== undefined && { max_age: maxAge }),
      ...(acr !== undefined && { acr_values: acr }),
      ...(subject !== undefined && { id_token_hint: new UnsecuredJWT({ sub: subject }).encode() }),
    };
    const request = {
      iat: REQUESTED_AT,
      prompt: { reasons, details: { ...(subject !== undefined && { subject }) } },
      params,
    };
    const facts = { isSecondFactorOffered: isOffered, now: NOW * 1000 };
    const decision = decideInteraction(request, session, facts);
    counts[decision] += 1;
    const isFresh = session !== null && session.authenticatedAt > TIMES.old;
    const isTooOld = maxAge !== undefined && session !== null && NOW - session.authenticatedAt > Number(maxAge);
    const wantsProof = (prompt !== undefined && prompt !== 'consent') || reasons.length > 0 || isTooOld;
    const isUsable = session !== null && (isFresh || !wantsProof);
    const isOther = subject === 'other';
    const otherwise = isOffered ? 'sign-in' : 'unmet';
    const usable = isOther ? 'other-account' : session !== null && session.assurance >= needed ? 'finish' : otherwise;
    const expected = isUsable ? usable : 'sign-in';
    expect(decision, JSON.stringify({ session, params, reasons, subject, isOffered })).toBe(expected);
  }
  expect(Object.values(counts).every((count) => count > 100)).toBe(true);
});

it('says of each sign-in method what is known of it, and nothing else', () => {
  const providers = ['password', 'google.com', 'saml.acme', 'oidc.acme', 'emailLink', 'custom'];
  for (const provider of providers)
    for (const method of [null, ...TOKEN_METHODS])
      for (const factor of [null, ...FACTORS])
        for (const assurance of [1, 2] as const) {
          const session = {
            session: { status: { uid: 'u', assurance }, authTime: 1_000 },
            signIn: { provider, method, factor, authenticatedAt: 1_000 },
          } as unknown as RecordedSession;
          const { acr, amr = [], loginTs } = toLogin(session);
          const known = [
            method?.startsWith('passkey') ? 'pop' : null,
            method !== null && !method.startsWith('passkey') ? 'otp' : null,
            method === null && provider === 'password' ? 'pwd' : null,
            factor === 'totp' || factor === 'recovery-code' ? 'otp' : null,
            assurance === 2 ? 'mfa' : null,
          ].filter((each) => each !== null);
          expect([acr, loginTs, [...new Set(amr)].sort()]).toEqual([
            `aal${String(assurance)}`,
            1_000,
            [...new Set(known)].sort(),
          ]);
        }
});
