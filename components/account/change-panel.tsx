import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './security.module.css';

type Props = {
  /** Focus moves to the panel at each of them. `ask`: its text is a question. */
  stage: string;
  text: string;
  failure?: ReactNode;
  onCancel: () => void;
  children: ReactNode;
};

/** One step of a change on /security, with a button that cancels the change. */
export function ChangePanel({ stage, text, failure, onCancel, children }: Props) {
  const { t } = useMessages('security');
  const panel = useRef<HTMLDivElement>(null);
  const textId = useId();
  useEffect(() => panel.current?.focus(), [stage]);
  return (
    <div className={styles.panel} ref={panel} tabIndex={-1} role="group" aria-labelledby={textId}>
      <p id={textId} className={stage === 'ask' ? styles.question : undefined}>
        {text}
      </p>
      {failure}
      {children}
      <Button kind="quiet" onClick={onCancel}>
        {t('proof.cancel')}
      </Button>
    </div>
  );
}
