import type { AppProps } from 'next/app';
import { AppConfigGate, ErrorBoundary, PageFrame } from '@/components/layout/page-frame';
import { DeadEndScreen } from '@/components/not-found/dead-end-screen';
import { SessionBootstrap } from '@/components/session/session-bootstrap';
import { MessagesContext } from '@/lib/browser/use-messages';
import type { PageProps, Unavailable } from '@/lib/server/web';
import { useDocumentLanguage, useDocumentPolicy } from '@/lib/browser/page-start';
import '@/components/ui/tokens.css';

/** Static pages have no configuration. */
type Props = Partial<PageProps> & {
  bounced?: boolean | null;
  accountUid?: string;
} & Partial<Unavailable>;

export default function App({ Component, pageProps, router }: AppProps<Props>) {
  const {
    texts,
    publicEnv,
    appConfig = { status: 'none' },
    notification,
    bounced = false,
    accountUid,
    unavailable = false,
  } = pageProps;
  useDocumentPolicy(router.pathname);
  useDocumentLanguage(texts);
  const page = unavailable ? <DeadEndScreen kind="failure" /> : <Component {...pageProps} />;
  return (
    <MessagesContext value={texts}>
      <ErrorBoundary fallback={<DeadEndScreen kind="failure" />}>
        {publicEnv ? (
          <PageFrame
            publicEnv={publicEnv}
            appConfig={appConfig}
            notification={notification}
            session={<SessionBootstrap bounced={bounced} accountUid={accountUid} />}
          >
            {page}
          </PageFrame>
        ) : (
          <AppConfigGate state={appConfig}>{page}</AppConfigGate>
        )}
      </ErrorBoundary>
    </MessagesContext>
  );
}
