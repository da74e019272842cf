import Head from 'next/head';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { AppConfig } from '@/lib/config/app-config';
import { brandCss } from '@/lib/config/brand-colour';

/**
 * The brand's colours and favicon. The first answer holds the colours as a style whose hash the page's policy names. A
 * brand that becomes known later, late or on the next page, is adopted as a sheet: the policy knows nothing of its text.
 */
export function BrandHead({ config }: { config: AppConfig | null }) {
  const css = brandCss(config);
  const isFirstAnswer = useIsFirstAnswer();
  useAdoptedSheet(css);
  return (
    <Head>
      {css !== null && isFirstAnswer && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}
      {config?.favicon !== undefined && <link key="icon" rel="icon" href={config.favicon} />}
    </Head>
  );
}

/** True on the server and while the browser takes its answer over. */
function useIsFirstAnswer(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => false,
    () => true,
  );
}

const useBrowserLayoutEffect = typeof window === 'undefined' ? () => undefined : useLayoutEffect;

function useAdoptedSheet(css: string | null): void {
  useBrowserLayoutEffect(() => {
    if (css === null || !('adoptedStyleSheets' in document)) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [css]);
}
