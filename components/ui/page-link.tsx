import Router from 'next/router';
import type { MouseEvent, MouseEventHandler, ReactNode } from 'react';

type Props = {
  href: string;
  /** The same page shows something else, and asks the server for nothing. */
  shallow?: boolean;
  className?: string;
  onClick?: MouseEventHandler | undefined;
  children: ReactNode;
};

/**
 * A link to another page of this app, which opens without loading everything anew. The framework's own link would also
 * watch the screen for links to load ahead of time, and every visitor would load that first.
 */
export function PageLink({ href, shallow = false, onClick, ...rest }: Props) {
  const open = (event: MouseEvent) => {
    onClick?.(event);
    if (event.defaultPrevented || isForElsewhere(event) || !href.startsWith('/')) return;
    event.preventDefault();
    void Router.push(href, undefined, { shallow });
  };
  return <a href={href} onClick={open} {...rest} />;
}

/** Into a new tab or window, or to be saved. */
function isForElsewhere({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey;
}
