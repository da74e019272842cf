import Head from 'next/head';
import { useLayoutEffect } from 'react';
import { useAppConfig } from '@/lib/browser/config/context';
import { useClientValue } from '@/lib/browser/hooks';

/**
 * The brand's colors. The first response holds the colors as a style element whose hash is in the page's
 * CSP. A brand that loads later is applied as an adopted style sheet, because the CSP does not contain its hash.
 */
export function BrandHead() {
  const css = useAppConfig()?.brandCss ?? null;
  const isFirstResponse = useClientValue(() => false, true);
  useAdoptedSheet(css);
  return (
    <Head>{css !== null && isFirstResponse && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}</Head>
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
