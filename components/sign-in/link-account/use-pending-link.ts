import { useRouter } from 'next/router';
import { useEffect, useState } from 'react';
import { forgetPendingLink, pendingLink, type PendingLink } from '@/lib/auth/pending-link';

/** The credential that waits; undefined until the browser has been asked. Leaving the page ends the flow. */
export function usePendingLink(): PendingLink | null | undefined {
  const { events } = useRouter();
  const [link, setLink] = useState<PendingLink | null>();
  useEffect(() => {
    queueMicrotask(() => setLink(pendingLink()));
    events.on('routeChangeStart', forgetPendingLink);
    return () => events.off('routeChangeStart', forgetPendingLink);
  }, [events]);
  return link;
}
