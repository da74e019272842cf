import { useTranslation } from 'next-i18next/pages';
import type { ReactNode } from 'react';
import { Notice } from '../notice';
import styles from './field.module.css';
import type { FormPhase } from './use-flow-form';

type Props = {
  /** From `useFlowForm`. */
  flow: { onSubmit: (event: { preventDefault: () => void }) => void; phase: FormPhase<unknown> };
  label: string;
  children: ReactNode;
};

/** `method="post"` keeps what was typed out of the address when a form is sent before the page is ready. */
export function Form({ flow, label, children }: Props) {
  const { t } = useTranslation('common');
  return (
    <form className={styles.form} method="post" noValidate aria-label={label} onSubmit={flow.onSubmit}>
      {flow.phase.name === 'broken' && <Notice tone="error">{t('form.broken')}</Notice>}
      {children}
    </form>
  );
}
