import { useEffect, useRef, useState } from 'react';
import type { FlowFailure } from '@/components/account-forms/problem-notice';
import type { CallFailure } from '@/lib/browser/account/api';
import { inspectAction, type Inspection } from '@/lib/browser/account/email-action';
import type { ApiResult } from '@/lib/browser/api-client';
import type { AuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { signOut } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { useAuthStatus } from '@/lib/browser/session/state';
import { useCall } from '@/lib/browser/use-call';
import type { ProviderAction } from '@/lib/shared/account/email-action';

/** Error codes after which the link can no longer be used. */
const UNUSABLE_LINK_CODES: readonly AuthErrorCode[] = [
  'EXPIRED_OOB_CODE',
  'INVALID_OOB_CODE',
  'auth/invalid-action-code',
  'auth/user-disabled',
];

export const isLinkUnusable = (code: AuthErrorCode) => UNUSABLE_LINK_CODES.includes(code);

type ActionState =
  | { name: 'checking' }
  | { name: 'ready'; email: string | null }
  | { name: 'account-mismatch'; present: string; wanted: string | null }
  | { name: 'unusable'; code: AuthErrorCode }
  /** The state is unknown, for example without a connection. */
  | { name: 'unreachable'; code: AuthErrorCode };

/**
 * Returns the state of an opened link with a code of the identity provider. It checks the code, and compares its
 * address with the signed-in user.
 * @param expected the address for which a sign-in link was requested in this browser, because the provider does not
 *   return it
 */
export function useEmailAction(action: ProviderAction, expected: string | null) {
  const env = usePublicEnv();
  const present = useSignedInUser();
  const [inspection, setInspection] = useState<Inspection | null>(null);

  const inspect = () => {
    setInspection(null);
    void inspectAction(env, action).then(setInspection);
  };
  useEffect(() => {
    inspect();
    // Once, on page load. Another language loads the same link again, and must not discard the typed input.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return {
    state: present.isLate
      ? ({ name: 'unreachable', code: 'unknown' } as const)
      : getState(present.isLoading ? null : inspection, present.email, expected),
    retry: present.isLate ? () => window.location.reload() : inspect,
    switchUser: present.signOut,
  };
}

function getState(inspection: Inspection | null, present: string | null, expected: string | null): ActionState {
  if (inspection === null) return { name: 'checking' };
  if (!inspection.ok)
    return { name: isLinkUnusable(inspection.code) ? 'unusable' : 'unreachable', code: inspection.code };
  const wanted = inspection.email ?? expected;
  if (present !== null && present !== wanted) return { name: 'account-mismatch', present, wanted };
  return { name: 'ready', email: wanted };
}

/**
 * State of a button that uses a link by a single call. `expired`, `invalid`: the link no longer works. `taken`: another
 * account has the email. `signed-out`: the call needs a session.
 */
export function useLinkAction<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void) {
  const { phase, failure, act } = useCall(call, onDone);
  if (failure?.code === 'action-code-expired') return { phase: 'expired', act } as const;
  if (failure?.status === 401) return { phase: 'signed-out', act } as const;
  if (failure?.code === 'email-taken') return { phase: 'taken', act } as const;
  return { phase: failure?.code === 'action-code-invalid' ? 'invalid' : phase, act } as const;
}

/**
 * A call that begins when its page opens, and that a button repeats after a failure.
 * @param call returns null on success. The button then stays busy, because the page changes.
 * @returns `reset`: removes the failure
 */
export function useCallOnArrival<F>(call: () => Promise<F | null>) {
  const [phase, setPhase] = useState<{ failure: F | null; isUnderWay: boolean }>({ failure: null, isUnderWay: true });
  const begun = useRef(false);
  const act = async () => {
    setPhase({ failure: null, isUnderWay: true });
    const failure = await call();
    if (failure !== null) setPhase({ failure, isUnderWay: false });
  };
  // If the Back button restored this page, it would be busy forever. After a reload, it shows the link's state.
  useFreshAfterBack(() => window.location.reload());
  useEffect(() => {
    // React may run effects twice.
    if (begun.current) return;
    begun.current = true;
    void act();
    // `act` does not depend on later renders.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return { ...phase, act: () => void act(), reset: () => setPhase({ failure: null, isUnderWay: false }) };
}

/**
 * How long a link waits for the session check, in milliseconds. The check itself may take 30 s, and the page must not
 * load forever.
 */
const CHECK_TIMEOUT_MS = 35_000;

/** Returns the user who is signed in when a link is opened. The link may belong to another account. */
export function useSignedInUser() {
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [signedOut, setSignedOut] = useState(false);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), CHECK_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, []);
  const isSignedIn = auth.status === 'authenticated' && !signedOut;
  const isLoading = auth.status === 'loading';
  return {
    isLoading,
    /** Whether the user is still unknown after the timeout. */
    isLate: isLoading && isOver,
    /** Null if no user is signed in. */
    email: isSignedIn ? (auth.session.email ?? '') : null,
    signOut: async () => {
      const done = (await signOut(env)) !== null;
      setSignedOut(done);
      return done;
    },
  };
}

const ENDS = { 'action-code-expired': 'EXPIRED_OOB_CODE', 'action-code-invalid': 'INVALID_OOB_CODE' } as const;
type LinkEnd = (typeof ENDS)[keyof typeof ENDS];

/** Maps the codes of expired and invalid links to the names in the error catalog. */
export function toLinkFailure(failure: CallFailure): FlowFailure {
  const { code } = failure;
  return code === 'action-code-expired' || code === 'action-code-invalid' ? { ...failure, code: ENDS[code] } : failure;
}

/** Returns why a link can no longer be used, or null if the failure can be retried. */
export function getLinkEnd({ code }: FlowFailure): LinkEnd | null {
  return code === 'EXPIRED_OOB_CODE' || code === 'INVALID_OOB_CODE' ? code : null;
}
