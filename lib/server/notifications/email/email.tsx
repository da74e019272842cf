import { createRequire } from 'node:module';
import path from 'node:path';
import type { CSSProperties, ReactNode } from 'react';
import type * as ReactDomServer from 'react-dom/server';
import { describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { correctAccent } from '@/lib/shared/config/brand-color';

/** A part of an email. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'code'; label: string; code: string }
  | { kind: 'button'; label: string; href: string }
  /** What to do if the owner did not cause the event. It looks the same in every email. */
  | { kind: 'secure'; text: string; label: string; href: string }
  /** Names and values. */
  | { kind: 'facts'; facts: readonly (readonly [string, string])[] }
  | { kind: 'small'; text: string };

export type EmailContent = {
  subject: string;
  /** Preview text that inboxes show next to the subject. */
  preview: string;
  heading: string;
  blocks: Block[];
};

/** The brand of the origin whose page requested the email. `hasOwnLogo`: its pages do not use the drawn mark. */
export type EmailBrand = { name: string; accent: string; hasOwnLogo: boolean };

/**
 * Colors of the dark theme. Clients with a dark theme read style sheets. The rules need `!important` to replace inline
 * styles.
 */
const DARK = { ground: '#12161f', card: '#1b202b', line: '#343b49', ink: '#eceef2', soft: '#a6adbb', wash: '#262c39' };

const SANS = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const INK = '#1c2230';
const SOFT = '#565d6d';
const LINE = '#e3ded6';

// Styles are inline, because email clients support neither style sheets nor custom properties, and little layout except
// tables.
const styles = {
  body: { margin: 0, padding: 0, backgroundColor: '#f4f1ec' },
  ground: { backgroundColor: '#f4f1ec', padding: '32px 16px' },
  card: { maxWidth: 520, margin: '0 auto', backgroundColor: '#ffffff', border: `1px solid ${LINE}`, borderRadius: 10 },
  cell: { padding: '32px 32px 28px', fontFamily: SANS, fontSize: 16, lineHeight: 1.55, color: INK },
  brand: { margin: '0 0 28px' },
  mark: { width: 32, height: 25, paddingTop: 7, borderRadius: 8, verticalAlign: 'top' },
  arch: { width: 6, height: 14, borderStyle: 'solid', borderWidth: '4px 4px 0', borderRadius: '7px 7px 0 0' },
  // Same color as `.threshold` in components/layout/mark.module.css.
  threshold: { width: 18, height: 2, backgroundColor: '#f2c879' },
  shape: { margin: '0 auto', fontSize: 0, lineHeight: 0 },
  gap: { width: 10 },
  brandName: { fontFamily: SANS, fontSize: 16, fontWeight: 600, color: INK },
  heading: {
    margin: '0 0 16px',
    fontSize: 24,
    lineHeight: 1.25,
    fontWeight: 600,
    letterSpacing: '-0.01em',
    textWrap: 'balance',
  },
  text: { margin: '0 0 16px' },
  small: { margin: '0 0 12px', fontSize: 14, color: SOFT },
  codeLabel: { margin: '0 0 6px', fontSize: 14, color: SOFT },
  code: {
    margin: '0 0 24px',
    padding: '14px 20px',
    backgroundColor: '#f4f1ec',
    borderRadius: 8,
    fontFamily: "ui-monospace, Menlo, Consolas, 'Courier New', monospace",
    fontSize: 28,
    fontWeight: 600,
    letterSpacing: '0.18em',
  },
  facts: { margin: '0 0 24px', padding: '14px 20px', backgroundColor: '#f4f1ec', borderRadius: 8 },
  fact: { margin: 0 },
  factName: { color: SOFT },
  secure: { margin: '8px 0 24px', padding: '18px 20px 20px', border: `1px solid ${LINE}`, borderRadius: 8 },
  secureText: { margin: '0 0 14px' },
  hidden: { display: 'none', maxHeight: 0, overflow: 'hidden' },
} as const satisfies Record<string, CSSProperties>;

/**
 * Loads the renderer with the first email, not with an import. The outbox sends emails from the start hook
 * (instrumentation.ts). The framework builds that bundle for server components and refuses this module there. The
 * renderer accepts elements of any copy of React 19. The computed name prevents the bundler from resolving the module.
 */
function loadRenderer(): Pick<typeof ReactDomServer, 'renderToStaticMarkup'> {
  const load = createRequire(path.resolve('package.json'));
  return load(['react-dom', 'server'].join('/')) as typeof ReactDomServer;
}

/** Renders an email as HTML. It escapes all content and loads no external resources. */
export function renderEmailHtml(content: EmailContent, brand: EmailBrand, language: Language): string {
  const { renderToStaticMarkup } = loadRenderer();
  return `<!doctype html>${renderToStaticMarkup(<EmailDocument content={content} brand={brand} language={language} />)}`;
}

/** Renders an email as plain text. */
export function renderEmailText({ heading, blocks }: EmailContent, brand: EmailBrand): string {
  return `${[brand.name, heading, ...blocks.map(plain)].join('\n\n')}\n`;
}

function plain(block: Block): string {
  if (block.kind === 'code') return `${block.label}\n${block.code}`;
  if (block.kind === 'button') return `${block.label}:\n${block.href}`;
  if (block.kind === 'secure') return `${block.text}\n\n${block.label}:\n${block.href}`;
  if (block.kind === 'facts') return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return block.text;
}

type DocumentProps = { content: EmailContent; brand: EmailBrand; language: Language };

function EmailDocument({ content, brand, language }: DocumentProps) {
  const { dir } = describeLanguage(language);
  return (
    <html lang={language} dir={dir}>
      {/* oxlint-disable-next-line nextjs/no-head-element -- a mail, not a page */}
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style dangerouslySetInnerHTML={{ __html: buildStyleSheet(brand.accent) }} />
        <title>{content.subject}</title>
      </head>
      <body className="ground" style={styles.body}>
        <div style={styles.hidden}>{content.preview}</div>
        {/* Repeat the language, because some clients keep only the body. */}
        <table lang={language} dir={dir} role="presentation" width="100%" cellPadding={0} cellSpacing={0} border={0}>
          <tbody>
            <tr>
              <td className="ground" style={styles.ground}>
                <Card>
                  <Mark brand={brand} />
                  <h1 style={styles.heading}>{content.heading}</h1>
                  {content.blocks.map((block, at) => (
                    <BlockView key={at} block={block} brand={brand} />
                  ))}
                </Card>
              </td>
            </tr>
          </tbody>
        </table>
      </body>
    </html>
  );
}

/**
 * Draws the mark of the pages (components/layout/mark.tsx) with tables. Clients block images, and a remote image would
 * reveal when the email is read. So an origin with its own logo only shows its name.
 */
function Mark({ brand: { name, accent: wanted, hasOwnLogo } }: { brand: EmailBrand }) {
  const { accent, onAccent } = correctAccent(wanted, 'light');
  return (
    <table role="presentation" cellPadding={0} cellSpacing={0} border={0} style={styles.brand}>
      <tbody>
        <tr>
          {!hasOwnLogo && (
            <>
              <td className="accent" aria-hidden="true" style={{ ...styles.mark, backgroundColor: accent }}>
                <Shape className="arch" style={{ ...styles.arch, borderColor: onAccent }} />
                <Shape style={styles.threshold} />
              </td>
              <td style={styles.gap} />
            </>
          )}
          <td className="ink" style={styles.brandName}>
            {name}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** The shape is a separate table cell, because some clients ignore the height of other elements. */
function Shape({ className, style }: { className?: string; style: CSSProperties }) {
  return (
    <table role="presentation" align="center" cellPadding={0} cellSpacing={0} border={0} style={styles.shape}>
      <tbody>
        <tr>
          <td className={className} style={style} />
        </tr>
      </tbody>
    </table>
  );
}

function buildStyleSheet(wanted: string): string {
  const { accent, onAccent } = correctAccent(wanted, 'dark');
  const rules = {
    '.ground': `background-color:${DARK.ground}`,
    '.card': `background-color:${DARK.card} !important;border-color:${DARK.line}`,
    '.ink': `color:${DARK.ink}`,
    '.soft': `color:${DARK.soft}`,
    '.wash': `background-color:${DARK.wash}`,
    '.line': `border-color:${DARK.line}`,
    '.accent': `background-color:${accent} !important;color:${onAccent}`,
    '.arch': `border-color:${onAccent}`,
    '.outline': `border-color:${accent} !important;color:${accent}`,
  };
  const dark = Object.entries(rules).map(([selector, declarations]) => `${selector}{${declarations} !important}`);
  return `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${dark.join('')}}`;
}

function Card({ children }: { children: ReactNode }) {
  return (
    <table
      role="presentation"
      width="100%"
      cellPadding={0}
      cellSpacing={0}
      border={0}
      className="card"
      style={styles.card}
    >
      <tbody>
        <tr>
          <td className="ink" style={styles.cell}>
            {children}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function BlockView({ block, brand }: { block: Block; brand: EmailBrand }) {
  if (block.kind === 'text') return <p style={styles.text}>{block.text}</p>;
  if (block.kind === 'small')
    return (
      <p className="soft" style={styles.small}>
        {block.text}
      </p>
    );
  if (block.kind === 'code')
    return (
      <>
        <p className="soft" style={styles.codeLabel}>
          {block.label}
        </p>
        <p className="wash" style={styles.code} dir="ltr">
          {block.code}
        </p>
      </>
    );
  if (block.kind === 'facts')
    return (
      <div className="wash" style={styles.facts}>
        {block.facts.map(([name, value]) => (
          <p key={name} style={styles.fact}>
            <span className="soft" style={styles.factName}>
              {name}:
            </span>{' '}
            <bdi>{value}</bdi>
          </p>
        ))}
      </div>
    );
  if (block.kind === 'secure')
    return (
      <div className="line" style={styles.secure}>
        <p style={styles.secureText}>{block.text}</p>
        <a href={block.href} className="outline" style={outlineStyle(brand.accent)}>
          {block.label}
        </a>
      </div>
    );
  return (
    <p style={{ margin: '0 0 24px' }}>
      <a href={block.href} className="accent" style={buttonStyle(brand.accent)}>
        {block.label}
      </a>
    </p>
  );
}

function buttonStyle(wanted: string): CSSProperties {
  const { accent, onAccent } = correctAccent(wanted, 'light');
  return {
    display: 'inline-block',
    padding: '13px 24px',
    borderRadius: 8,
    backgroundColor: accent,
    color: onAccent,
    fontWeight: 600,
    textDecoration: 'none',
  };
}

/** Styles the button that secures the account. It is less prominent than a main button, which most owners need more. */
function outlineStyle(wanted: string): CSSProperties {
  const { accent } = correctAccent(wanted, 'light');
  return {
    display: 'inline-block',
    padding: '11px 22px',
    border: `1px solid ${accent}`,
    borderRadius: 8,
    color: accent,
    fontWeight: 600,
    textDecoration: 'none',
  };
}
