import { createRequire } from 'node:module';
import path from 'node:path';
import type { CSSProperties, ReactNode } from 'react';
import type * as ReactDomServer from 'react-dom/server';
import { correctAccent } from '@/lib/shared/config/brand-color';

/** The blocks of an email, in order. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'code'; label: string; code: string }
  | { kind: 'button'; label: string; href: string }
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

/** The brand of the origin whose page requested the email. */
export type EmailBrand = { name: string; accent: string };

const SANS = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const INK = '#1c2230';
const SOFT = '#565d6d';
const LINE = '#e3ded6';

// Email clients do not support style sheets or custom properties, and support little layout but tables: styles are
// inline.
const styles = {
  body: { margin: 0, padding: 0, backgroundColor: '#f4f1ec' },
  ground: { backgroundColor: '#f4f1ec', padding: '32px 16px' },
  card: { maxWidth: 520, margin: '0 auto', backgroundColor: '#ffffff', border: `1px solid ${LINE}`, borderRadius: 10 },
  cell: { padding: '32px 32px 28px', fontFamily: SANS, fontSize: 16, lineHeight: 1.55, color: INK },
  brand: { margin: '0 0 28px', fontSize: 15, fontWeight: 600 },
  heading: { margin: '0 0 16px', fontSize: 24, lineHeight: 1.25, fontWeight: 600, letterSpacing: '-0.01em' },
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
  hidden: { display: 'none', maxHeight: 0, overflow: 'hidden' },
} as const satisfies Record<string, CSSProperties>;

/**
 * Loaded when the first email is rendered, and not by an import: the outbox sends emails from the start hook
 * (instrumentation.ts), whose bundle the framework builds for server components, and refuses this module in. The
 * renderer accepts elements of any copy of React 19. The name is computed, so that the bundler does not resolve it.
 */
function loadRenderer(): Pick<typeof ReactDomServer, 'renderToStaticMarkup'> {
  const load = createRequire(path.resolve('package.json'));
  return load(['react-dom', 'server'].join('/')) as typeof ReactDomServer;
}

/** Renders an email as HTML. All content is escaped; no external resources are loaded. */
export function renderEmailHtml(content: EmailContent, brand: EmailBrand): string {
  const { renderToStaticMarkup } = loadRenderer();
  return `<!doctype html>${renderToStaticMarkup(<EmailDocument content={content} brand={brand} />)}`;
}

/** Renders the same email as plain text. */
export function renderEmailText({ heading, blocks }: EmailContent, brand: EmailBrand): string {
  return `${[brand.name, heading, ...blocks.map(plain)].join('\n\n')}\n`;
}

function plain(block: Block): string {
  if (block.kind === 'code') return `${block.label}\n${block.code}`;
  if (block.kind === 'button') return `${block.label}:\n${block.href}`;
  if (block.kind === 'facts') return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return block.text;
}

function EmailDocument({ content, brand }: { content: EmailContent; brand: EmailBrand }) {
  return (
    <html lang="en">
      {/* eslint-disable-next-line @next/next/no-head-element -- a mail, not a page */}
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>{content.subject}</title>
      </head>
      <body style={styles.body}>
        <div style={styles.hidden}>{content.preview}</div>
        <table role="presentation" width="100%" cellPadding={0} cellSpacing={0} border={0}>
          <tbody>
            <tr>
              <td style={styles.ground}>
                <Card>
                  <p style={{ ...styles.brand, color: correctAccent(brand.accent, 'light').accent }}>{brand.name}</p>
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

function Card({ children }: { children: ReactNode }) {
  return (
    <table role="presentation" width="100%" cellPadding={0} cellSpacing={0} border={0} style={styles.card}>
      <tbody>
        <tr>
          <td style={styles.cell}>{children}</td>
        </tr>
      </tbody>
    </table>
  );
}

function BlockView({ block, brand }: { block: Block; brand: EmailBrand }) {
  if (block.kind === 'text') return <p style={styles.text}>{block.text}</p>;
  if (block.kind === 'small') return <p style={styles.small}>{block.text}</p>;
  if (block.kind === 'code')
    return (
      <>
        <p style={styles.codeLabel}>{block.label}</p>
        <p style={styles.code}>{block.code}</p>
      </>
    );
  if (block.kind === 'facts')
    return (
      <div style={styles.facts}>
        {block.facts.map(([name, value]) => (
          <p key={name} style={styles.fact}>
            <span style={styles.factName}>{name}:</span> {value}
          </p>
        ))}
      </div>
    );
  return (
    <p style={{ margin: '0 0 24px' }}>
      <a href={block.href} style={buttonStyle(brand.accent)}>
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
