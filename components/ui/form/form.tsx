import { useEffect, useRef, type ReactNode } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import { Notice } from '../notice';
import styles from './field.module.css';
import type { FormPhase, SubmitEventLike } from './use-flow-form';

type Props = {
  /** From `useFlowForm`. */
  flow: { onSubmit: (event: SubmitEventLike) => void; phase: FormPhase<unknown> };
  label: string;
  /** Called when the form gets focus: preloads the code that submitting needs. */
  onApproach?: () => void;
  children: ReactNode;
};

/**
 * A form submitted before hydration (lib/server/http/document/content-security-policy.ts) is submitted again after it. `method="post"`
 * keeps the input out of the URL if scripts do not run at all.
 */
export function Form({ flow, label, onApproach, children }: Props) {
  const { t } = useMessages('common');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.setAttribute('data-ready', '');
    // The form got focus before the listener was attached.
    if (form.current?.contains(document.activeElement)) onApproach?.();
    if (!form.current?.hasAttribute('data-early')) return;
    form.current.removeAttribute('data-early');
    form.current.requestSubmit();
    // Runs once, after hydration.
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
