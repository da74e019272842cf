import Head from 'next/head';
import type { AppConfig } from '@/lib/config/app-config';
import { brandCss } from '@/lib/config/brand-colour';

/** The brand's colours and favicon. The style's text depends on the config alone, so a policy can name its hash. */
export function BrandHead({ config }: { config: AppConfig | null }) {
  const css = brandCss(config);
  return (
    <Head>
      {css !== null && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}
      {config?.favicon !== undefined && <link key="icon" rel="icon" href={config.favicon} />}
    </Head>
  );
}
