import { useEffect } from 'react';
import { showToast, Toasts } from '@/components/ui/toasts';
import { takeFromAddress } from '@/lib/browser/address';
import { isNotificationKey, NOTIFICATIONS, type NotificationKey } from '@/lib/browser/auth/sign-in/error-codes';
import { onAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { useMessages } from '@/lib/browser/use-messages';
import { queryNames } from '@/lib/shared/paths';

/** Shows the toast requested by `?notification=` once, and one for a failed auto sign-in (docs/product.md#routes). */
export function Notifications() {
  const { t } = useMessages('common');
  useEffect(() => {
    // Ignore a failed load: a missing toast is not worth an error.
    const show = (key: NotificationKey) =>
      void showToast(NOTIFICATIONS[key], t(`notifications.${key}`)).catch(() => undefined);
    const key = takeFromAddress(queryNames.notification)[queryNames.notification]?.[0];
    if (isNotificationKey(key)) show(key);
    return onAuthEvent((event) => {
      if (event === 'autoSignIn_failure') show('AutoLoginFailed');
    });
  }, [t]);
  return <Toasts />;
}
