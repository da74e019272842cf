import Head from 'next/head';
import { useLayoutEffect } from 'react';
import { useBrowserFact } from '@/lib/browser-fact';
import type { PageConfig } from '@/lib/config/app-config';

/**
 * The brand's colours and favicon. The first answer holds the colours as a style whose hash the page's policy names. A
 * brand that becomes known later, late or on the next page, is adopted as a sheet: the policy knows nothing of its text.
 */
export function BrandHead({ config }: { config: PageConfig | null }) {
  const css = config?.brandCss ?? null;
  const isFirstAnswer = useBrowserFact(() => false, true);
  useAdoptedSheet(css);
  return (
    <Head>
      {css !== null && isFirstAnswer && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}
      {config?.favicon !== undefined && <link key="icon" rel="icon" href={config.favicon} />}
    </Head>
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
