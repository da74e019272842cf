import dynamic from 'next/dynamic';
import { useTranslation } from 'next-i18next/pages';
import { useEffect } from 'react';
import { takeFromAddress } from '@/lib/address';
import { isNotificationKey, NOTIFICATIONS } from '@/lib/auth/error-codes';
import { queryNames } from '@/lib/paths';

const Toaster = dynamic(() => import('@/components/ui/toaster'), { ssr: false });

/** Shows the toast that `?notification=` asks for, once, and takes it out of the address (specification, section 2). */
export function Notifications() {
  const { t } = useTranslation('common');
  useEffect(() => {
    const key = takeFromAddress(queryNames.notification)[queryNames.notification]?.[0];
    if (!isNotificationKey(key)) return;
    void import('@/components/ui/toaster').then(({ showToast }) =>
      showToast(NOTIFICATIONS[key], t(`notifications.${key}`)),
    );
  }, [t]);
  return <Toaster />;
}
