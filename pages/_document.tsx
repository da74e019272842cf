import type { ServerResponse } from 'node:http';
import { Children, cloneElement, isValidElement, type ReactElement, type ReactNode } from 'react';
import Document, { Head, Html, Main, NextScript, type DocumentContext, type DocumentInitialProps } from 'next/document';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import {
  buildContentSecurityPolicy,
  toMetaPolicy,
  getInlineHashes,
  readStyleSheet,
  EARLY_SCRIPT,
} from '@/lib/server/http';
import type { DeskProps, PageProps } from '@/lib/server/web';
import { SOURCE_LANGUAGE } from '@/lib/shared/i18n/languages';
import { SUPPORT_PAGE } from '@/lib/shared/support/desk';
import { THEME_INIT_SCRIPT } from '@/lib/shared/theme-init-script';

/** In one line, because the first response has few bytes left. */
const HEAD_SCRIPT = (THEME_INIT_SCRIPT + EARLY_SCRIPT).replaceAll('\n', '');

type Props = DocumentInitialProps & {
  res?: ServerResponse;
};

export default class ProductDocument extends Document<Props> {
  static override async getInitialProps(context: DocumentContext): Promise<Props> {
    return { ...(await Document.getInitialProps(context)), ...(context.res && { res: context.res }) };
  }

  override render() {
    const { res, __NEXT_DATA__: data } = this.props;
    const {
      publicEnv = null,
      texts,
      appConfig,
      isSupportDesk,
    } = data.props.pageProps as Partial<PageProps & DeskProps>;
    const PolicyHead = headWithPolicy(res, publicEnv, isSupportDesk ? SUPPORT_PAGE : data.page);
    // It is here and not in the page's own head, because browsers show the last of several icons.
    const favicon = appConfig?.status === 'ready' ? appConfig.config?.favicon : undefined;
    const { language, dir } = texts ?? { language: SOURCE_LANGUAGE, dir: 'ltr' };
    return (
      <Html lang={language} dir={dir} suppressHydrationWarning>
        <PolicyHead>
          <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#12161f" />
          <link rel="icon" href={favicon ?? '/mark.svg'} />
          <script dangerouslySetInnerHTML={{ __html: HEAD_SCRIPT }} />
        </PolicyHead>
        <body>
          <Main />
          <NextScript />
        </body>
      </Html>
    );
  }
}

/**
 * Creates the head with inlined style sheets, and a Content-Security-Policy with the hashes of exactly its inline
 * content (docs/adr/0014). It changes the elements of the framework's Head, and depends on none of its other methods.
 * Prerendered pages have no configuration and no response to set a header on, so they use a meta element.
 */
function headWithPolicy(res: ServerResponse | undefined, env: PublicEnv | null, page: string): typeof Head {
  return class PolicyHead extends Head {
    override render() {
      const head = super.render() as ReactElement<{ children: ReactNode }>;
      const children = Children.map(head.props.children, inlineStyleSheet);
      const hashes = getInlineHashes(children);
      if (res && (env || page === SUPPORT_PAGE)) {
        res.setHeader('content-security-policy', buildContentSecurityPolicy(env, hashes, page));
        return cloneElement(head, {}, children);
      }
      const policy = toMetaPolicy(buildContentSecurityPolicy(null, hashes, page));
      return cloneElement(head, {}, <meta httpEquiv="Content-Security-Policy" content={policy} />, children);
    }
  };
}

/** Inserts the style sheet itself instead of a link to it, so that the first paint needs only the request for the page. */
function inlineStyleSheet(element: ReactNode): ReactNode {
  if (!isValidElement<{ rel?: string; as?: string; href?: string }>(element) || element.type !== 'link') return element;
  const { rel, as, href = '' } = element.props;
  const text = rel === 'stylesheet' || as === 'style' ? readStyleSheet(href) : null;
  if (text === null) return element;
  if (rel === 'preload') return null;
  return <style data-href={href} dangerouslySetInnerHTML={{ __html: text }} />;
}
