import { useRouter } from 'next/router';
import { useEffect, useState } from 'react';
import { forgetPendingLink, getPendingLink, type PendingLink } from '@/lib/browser/auth/sign-in/pending-link';

/** The pending credential; undefined until it was read in the browser. Leaving the page ends the flow. */
export function usePendingLink(): PendingLink | null | undefined {
  const { events } = useRouter();
  const [link, setLink] = useState<PendingLink | null>();
  useEffect(() => {
    queueMicrotask(() => setLink(getPendingLink()));
    events.on('routeChangeStart', forgetPendingLink);
    return () => events.off('routeChangeStart', forgetPendingLink);
  }, [events]);
  return link;
}
