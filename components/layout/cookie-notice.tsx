import { useSyncExternalStore } from 'react';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { useMessages } from '@/lib/browser/use-messages';

const neverChanges = () => () => undefined;
/** Checked once per page load. */
let areEnabled: boolean | undefined;

/** Warns before the user types that cookies are disabled, because no session can persist. */
export function CookieNotice() {
  const { t } = useMessages('common');
  const { mainDomain } = usePublicEnv();
  const kept = useSyncExternalStore(
    neverChanges,
    () => (areEnabled ??= areCookiesEnabled(mainDomain)),
    () => true,
  );
  return kept ? null : <Notice tone="error">{t(errorTextKey('auth/cookies-off'))}</Notice>;
}
