import { createContext, useContext } from 'react';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import type { PageNotification } from '@/lib/shared/page-notifications';

/** The message that stays on this page. Undefined without one. */
export const NotificationContext = createContext<PageNotification | undefined>(undefined);

/** Says what has just happened, below the heading. It came with the page, so nothing moves. */
export function PageNotice() {
  const { t } = useMessages('common');
  const notification = useContext(NotificationContext);
  return notification && <Notice tone={notification.tone}>{t(`notifications.${notification.key}`)}</Notice>;
}
