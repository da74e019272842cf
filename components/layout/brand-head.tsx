import Head from 'next/head';
import { useLayoutEffect } from 'react';
import { useClientValue } from '@/lib/browser/use-client-value';
import type { PageConfig } from '@/lib/shared/config/app-config';

/**
 * The brand's colors and favicon. The first response holds the colors as a style element whose hash is in the page's
 * CSP. A brand that loads later is applied as an adopted style sheet, because the CSP does not contain its hash.
 */
export function BrandHead({ config }: { config: PageConfig | null }) {
  const css = config?.brandCss ?? null;
  const isFirstResponse = useClientValue(() => false, true);
  useAdoptedSheet(css);
  return (
    <Head>
      {css !== null && isFirstResponse && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}
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
