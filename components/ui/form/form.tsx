import type { ReactNode } from 'react';
import styles from './field.module.css';

type Props = { onSubmit: (event: { preventDefault: () => void }) => void; label: string; children: ReactNode };

/** `method="post"` keeps what was typed out of the address when a form is sent before the page is ready. */
export function Form({ onSubmit, label, children }: Props) {
  return (
    <form className={styles.form} method="post" noValidate aria-label={label} onSubmit={onSubmit}>
      {children}
    </form>
  );
}
