import { useTranslation } from 'next-i18next/pages';
import { useEffect, useRef, type ReactNode } from 'react';
import { Notice } from '../notice';
import styles from './field.module.css';
import type { FormPhase } from './use-flow-form';

type Props = {
  /** From `useFlowForm`. */
  flow: { onSubmit: (event: { preventDefault: () => void }) => void; phase: FormPhase<unknown> };
  label: string;
  /** Told when somebody comes near: fetches what sending needs. */
  onApproach?: () => void;
  children: ReactNode;
};

/**
 * A form that was sent before the page was ready (lib/page-start/early-script.ts) is sent when it is. `method="post"` keeps
 * what was typed out of the address where no script runs at all.
 */
export function Form({ flow, label, onApproach, children }: Props) {
  const { t } = useTranslation('common');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.setAttribute('data-ready', '');
    // In it before anybody listened.
    if (form.current?.contains(document.activeElement)) onApproach?.();
    if (!form.current?.hasAttribute('data-early')) return;
    form.current.removeAttribute('data-early');
    form.current.requestSubmit();
    // Once, when the page has become usable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <form
      ref={form}
      className={styles.form}
      method="post"
      noValidate
      aria-label={label}
      onFocus={onApproach}
      onSubmit={flow.onSubmit}
    >
      {flow.phase.name === 'broken' && <Notice tone="error">{t('form.broken')}</Notice>}
      {children}
    </form>
  );
}
