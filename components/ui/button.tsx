import type { ButtonHTMLAttributes, MouseEventHandler, ReactNode, Ref } from 'react';
import { PageLink } from './page-link';
import styles from './button.module.css';

/** A `danger` action cannot be undone. A `danger-secondary` button leads to such an action. */
type Kind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-secondary';

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'disabled'> & {
  kind?: Kind;
  /** An action is in progress. The button keeps its width and focus, and ignores further clicks. */
  busy?: boolean;
  /** The button cannot be clicked now. The text beside it must say why. */
  inactive?: boolean;
  /** Announced to screen readers while busy. */
  busyLabel?: string;
  ref?: Ref<HTMLButtonElement> | undefined;
  children: ReactNode;
};

export function Button(props: ButtonProps) {
  const { kind = 'primary', busy = false, inactive = false, busyLabel, children, onClick, type, ...rest } = props;
  return (
    <>
      <button
        {...rest}
        type={type ?? 'button'}
        className={getClassName(kind)}
        aria-disabled={busy || inactive || undefined}
        onClick={(event) => {
          if (busy || inactive) event.preventDefault();
          else onClick?.(event);
        }}
      >
        <span>{children}</span>
        {busy && <span className={styles.spinner} aria-hidden="true" />}
      </button>
      {busyLabel !== undefined && <BusyStatus>{busy && busyLabel}</BusyStatus>}
    </>
  );
}

/** Announces that a button is busy. Put it beside the button, because changes inside a button are not announced. */
export function BusyStatus({ children }: { children: ReactNode }) {
  return (
    <span className="visually-hidden" role="status">
      {children}
    </span>
  );
}

type LinkProps = {
  kind?: Kind;
  href: string;
  ref?: Ref<HTMLAnchorElement>;
  onClick?: MouseEventHandler;
  children: ReactNode;
};

/** A link that looks like a button and opens another page. */
export function ButtonLink({ kind = 'secondary', children, ...rest }: LinkProps) {
  return (
    <PageLink {...rest} className={getClassName(kind)}>
      <span>{children}</span>
    </PageLink>
  );
}

function getClassName(kind: Kind): string {
  return `${styles.button} ${styles[kind]}`;
}
