import { useTranslation } from 'next-i18next/pages';
import { useEffect } from 'react';
import { showToast, Toasts } from '@/components/ui/toasts';
import { takeFromAddress } from '@/lib/address';
import { isNotificationKey, NOTIFICATIONS, type NotificationKey } from '@/lib/auth/error-codes';
import { onAuthEvent } from '@/lib/auth/events';
import { queryNames } from '@/lib/paths';

/** Shows the toast that `?notification=` asks for, once, and that of a failed auto sign-in (specification, section 2). */
export function Notifications() {
  const { t } = useTranslation('common');
  useEffect(() => {
    // A toast that cannot be loaded is not worth an error.
    const show = (key: NotificationKey) =>
      void showToast(NOTIFICATIONS[key], t(`notifications.${key}`)).catch(() => undefined);
    const asked = takeFromAddress(queryNames.notification)[queryNames.notification]?.[0];
    if (isNotificationKey(asked)) show(asked);
    return onAuthEvent((event) => {
      if (event === 'autoSignIn_failure') show('AutoLoginFailed');
    });
  }, [t]);
  return <Toasts />;
}
