import { createHash } from 'node:crypto';
import { Children, isValidElement, type ReactNode } from 'react';
import type { InlineHashes } from '@/lib/security-policy';

type Inline = { type?: string; src?: string; dangerouslySetInnerHTML?: { __html: string }; children?: ReactNode };

/**
 * Hashes of everything a page's head holds inline, whoever put it there. Data blocks are no scripts and need none.
 * @param node the head as React elements
 */
export function inlineHashesOf(node: ReactNode): InlineHashes {
  const found = { scripts: [] as string[], styles: [] as string[] };
  collect(node, found);
  return found;
}

function collect(node: ReactNode, found: { scripts: string[]; styles: string[] }): void {
  Children.forEach(node, (child) => {
    if (!isValidElement<Inline>(child)) return;
    const { type, src, dangerouslySetInnerHTML: inner, children } = child.props;
    if (inner && child.type === 'script' && !src && (type === undefined || type === 'module'))
      found.scripts.push(hash(inner.__html)); // prettier-ignore
    else if (inner && child.type === 'style') found.styles.push(hash(inner.__html));
    else collect(children, found);
  });
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
