import type { SSRConfig } from 'next-i18next/pages';
import { ThemeProvider } from 'next-themes';
import type { AppProps } from 'next/app';
import { I18nextProvider } from 'react-i18next';
import { ErrorBoundary } from '@/components/layout/error-boundary';
import { PageFrame } from '@/components/layout/page-frame';
import { DeadEndScreen } from '@/components/not-found/dead-end-screen';
import { usePageTexts } from '@/lib/i18n/page-texts';
import type { PageProps } from '@/lib/server/page';
import type { Unavailable } from '@/lib/server/session-page';
import { useHeadingFocus } from '@/lib/page-start/use-heading-focus';
import { usePageReady } from '@/lib/page-start/use-page-ready';
import { THEME_STORAGE_KEY } from '@/lib/theme/init-script';
import '@/components/ui/tokens.css';

/** Static pages come without configuration. */
type Props = Partial<SSRConfig & PageProps> & { bounced?: boolean } & Partial<Unavailable>;

export default function App({ Component, pageProps, router }: AppProps<Props>) {
  const texts = usePageTexts(pageProps._nextI18Next);
  const { publicEnv, appConfig = { status: 'none' }, bounced = false, unavailable = false } = pageProps;
  usePageReady();
  useHeadingFocus(router.pathname);
  const page = unavailable ? <DeadEndScreen kind="failure" /> : <Component {...pageProps} />;
  return (
    // The theme is set before first paint by the script in _document; here it is only kept up.
    <ThemeProvider
      attribute="data-theme"
      storageKey={THEME_STORAGE_KEY}
      enableColorScheme={false}
      scriptProps={{ type: 'application/json' }}
    >
      <I18nextProvider i18n={texts}>
        <ErrorBoundary fallback={<DeadEndScreen kind="failure" />}>
          {publicEnv ? (
            <PageFrame publicEnv={publicEnv} appConfig={appConfig} bounced={bounced}>
              {page}
            </PageFrame>
          ) : (
            page
          )}
        </ErrorBoundary>
      </I18nextProvider>
    </ThemeProvider>
  );
}
