import { useTranslation } from 'next-i18next/pages';
import { useSyncExternalStore } from 'react';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/auth/error-codes';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { keepsCookies } from '@/lib/cookies/browser';

const neverChanges = () => () => undefined;
/** Asked once a page. */
let answer: boolean | undefined;

/** Where the browser keeps no cookies: said before anybody types, as no sign-in can last. */
export function CookieNotice() {
  const { t } = useTranslation('common');
  const { mainDomain } = usePublicEnv();
  const kept = useSyncExternalStore(
    neverChanges,
    () => (answer ??= keepsCookies(mainDomain)),
    () => true,
  );
  return kept ? null : <Notice tone="error">{t(errorTextKey('auth/cookies-off'))}</Notice>;
}
