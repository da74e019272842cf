import { lazy, Suspense } from 'react';
import { DeadEndScreen } from '@/components/not-found/dead-end-screen';
import { useClientValue } from '@/lib/browser/hooks';

export { getUnknownPageProps as getServerSideProps } from '@/lib/server/web';

/** A route of its own would be in the list of routes that every page loads (docs/adr/0048). */
const SupportDesk = lazy(() => import('@/components/support-desk/desk-screen'));

export default function UnknownPage({ isSupportDesk = false }: { isSupportDesk?: boolean }) {
  const inBrowser = useClientValue(() => true, false);
  if (!isSupportDesk) return <DeadEndScreen kind="notFound" />;
  // Not the loader of other pages: each module that is shared with this page makes learners' scripts longer.
  const loader = <noscript>This page needs JavaScript.</noscript>;
  return <Suspense fallback={loader}>{inBrowser ? <SupportDesk /> : loader}</Suspense>;
}
