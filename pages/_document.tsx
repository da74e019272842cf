import type { ServerResponse } from 'node:http';
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import Document, { Head, Html, Main, NextScript, type DocumentContext, type DocumentInitialProps } from 'next/document';
import type { PublicEnv } from '@/lib/config/public-env';
import { contentSecurityPolicy, policyForMeta } from '@/lib/security-policy';
import type { PageProps } from '@/lib/server/page';
import { inlineHashesOf } from '@/lib/server/inline-hashes';
import { styleText } from '@/lib/server/style-text';
import { EARLY_SCRIPT } from '@/lib/page-start/early-script';
import { beginScripts } from '@/lib/page-start/begin-scripts';
import { THEME_INIT_SCRIPT } from '@/lib/theme/init-script';

type Props = DocumentInitialProps & {
  res?: ServerResponse;
};

export default class ProductDocument extends Document<Props> {
  static override async getInitialProps(context: DocumentContext): Promise<Props> {
    return { ...(await Document.getInitialProps(context)), ...(context.res && { res: context.res }) };
  }

  override render() {
    const { res, __NEXT_DATA__: data } = this.props;
    const { publicEnv = null } = data.props.pageProps as Partial<PageProps>;
    const PolicyHead = headWithPolicy(res, publicEnv);
    return (
      <Html lang="en" suppressHydrationWarning>
        <PolicyHead>
          <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfcfa" />
          <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#12161f" />
          <link rel="icon" href="/mark.svg" type="image/svg+xml" />
          <script dangerouslySetInnerHTML={{ __html: THEME_INIT_SCRIPT + EARLY_SCRIPT }} />
        </PolicyHead>
        <body>
          <Main />
          <NextScript />
        </body>
      </Html>
    );
  }
}

type Files = Parameters<Head['getCssLinks']>[0];

/**
 * The head, with a Content-Security-Policy that names exactly what stands in it, the framework's own start script
 * included. Pages made ahead of time have no configuration and no answer to set a header on: they carry it themselves.
 */
function headWithPolicy(res: ServerResponse | undefined, env: PublicEnv | null): typeof Head {
  return class PolicyHead extends Head {
    override getCssLinks(files: Files) {
      return super.getCssLinks(files)?.flatMap(inline) ?? null;
    }

    override getPreloadMainLinks(files: Files) {
      return this.context.isDevelopment ? super.getPreloadMainLinks(files) : [];
    }

    override getScripts(files: Files) {
      const scripts = super.getScripts(files);
      // While developing, the framework exchanges scripts in its own way.
      return this.context.isDevelopment ? scripts : begunLater(scripts);
    }

    override render() {
      const head = super.render() as ReactElement<{ children: ReactNode }>;
      const hashes = inlineHashesOf(head.props.children);
      if (res && env) {
        res.setHeader('content-security-policy', contentSecurityPolicy(env, hashes));
        return head;
      }
      const policy = policyForMeta(contentSecurityPolicy(null, hashes));
      return cloneElement(head, {}, <meta httpEquiv="Content-Security-Policy" content={policy} />, head.props.children);
    }
  };
}

/** Scripts with addresses are begun by one that has none. */
function begunLater(scripts: ReactElement<{ src?: string }>[]): ReactElement[] {
  const addresses = scripts.flatMap(({ props }) => props.src ?? []);
  const rest = scripts.filter(({ props }) => props.src === undefined);
  return [...rest, <script key="begin" dangerouslySetInnerHTML={{ __html: beginScripts(addresses) }} />];
}

/** A style sheet of the build stands in the page itself, and is not asked for ahead. */
function inline(link: ReactElement<{ rel: string; href: string }>): ReactElement[] {
  const text = styleText(link.props.href);
  if (text === null) return [link];
  if (link.props.rel === 'preload') return [];
  return [<style key={link.key} data-href={link.props.href} dangerouslySetInnerHTML={{ __html: text }} />];
}
