import { createHash } from 'node:crypto';
import { Children, isValidElement, type ReactNode } from 'react';
import type { InlineHashes } from './content-security-policy';

type Inline = { type?: string; src?: string; dangerouslySetInnerHTML?: { __html: string }; children?: ReactNode };

/**
 * Hashes of all inline scripts and styles in a page's head, including those of the framework. Data blocks are not
 * scripts and need none.
 * @param node the head as React elements
 */
export function getInlineHashes(node: ReactNode): InlineHashes {
  const found = { scripts: [] as string[], styles: [] as string[] };
  collect(node, found);
  return found;
}

function collect(node: ReactNode, found: { scripts: string[]; styles: string[] }): void {
  Children.forEach(node, (child) => {
    if (!isValidElement<Inline>(child)) return;
    const { type, src, dangerouslySetInnerHTML: inner, children } = child.props;
    if (inner && child.type === 'script' && !src && (type === undefined || type === 'module'))
      found.scripts.push(hash(inner.__html));
    else if (inner && child.type === 'style') found.styles.push(hash(inner.__html));
    else collect(children, found);
  });
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
