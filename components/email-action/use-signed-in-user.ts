import { useState } from 'react';
import { signOut } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useAuthStatus } from '@/lib/browser/session/status';

/** The user signed in when a link is opened; the link may belong to a different account. */
export function useSignedInUser() {
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [signedOut, setSignedOut] = useState(false);
  const isSignedIn = auth.status === 'authenticated' && !signedOut;
  return {
    isLoading: auth.status === 'loading',
    /** Null when no user is signed in. */
    email: isSignedIn ? (auth.session.email ?? '') : null,
    signOut: async () => {
      if (await signOut(env)) setSignedOut(true);
    },
  };
}
