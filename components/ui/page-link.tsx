import Router from 'next/router';
import type { MouseEvent, MouseEventHandler, ReactNode, Ref } from 'react';
import { needsOwnDocument } from '@/lib/browser/page-start';

type Props = {
  href: string;
  /** The page shows different content without a request to the server. */
  shallow?: boolean;
  /** Whether the page scrolls to its top. If not, the link's `onClick` decides what is in view. */
  scroll?: boolean;
  'aria-current'?: 'page' | 'true' | undefined;
  className?: string;
  ref?: Ref<HTMLAnchorElement>;
  onClick?: MouseEventHandler | undefined;
  children: ReactNode;
};

/**
 * A link to another page of this app, opened by client-side navigation. `next/link` would also watch the viewport for
 * links to prefetch, and every visitor would load that code first.
 */
export function PageLink({ href, shallow = false, scroll = true, onClick, ...rest }: Props) {
  const open = (event: MouseEvent) => {
    onClick?.(event);
    if (event.defaultPrevented || isForElsewhere(event) || !href.startsWith('/') || needsOwnDocument(href)) return;
    event.preventDefault();
    void Router.push(href, undefined, { shallow, scroll });
  };
  return <a href={href} onClick={open} {...rest} />;
}

/** The click opens a new tab or window, or downloads the link. */
function isForElsewhere({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey;
}
