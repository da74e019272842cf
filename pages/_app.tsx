import { appWithTranslation } from 'next-i18next/pages';
import { ThemeProvider } from 'next-themes';
import type { AppProps } from 'next/app';
import { PublicEnvProvider } from '@/lib/config/public-env-context';
import type { PageProps } from '@/lib/server/page';
import '@/components/ui/tokens.css';

function App({ Component, pageProps }: AppProps<PageProps>) {
  return (
    <PublicEnvProvider value={pageProps.publicEnv ?? null}>
      {/* The theme is set before first paint by the script in _document; here it is only kept up. */}
      <ThemeProvider attribute="data-theme" scriptProps={{ type: 'application/json' }}>
        <Component {...pageProps} />
      </ThemeProvider>
    </PublicEnvProvider>
  );
}

export default appWithTranslation(App);
