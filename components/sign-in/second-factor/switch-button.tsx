import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import styles from '@/components/providers/methods.module.css';

type Props = {
  onClick: () => void;
  /** Called when the pointer or the focus reaches the button. */
  onApproach?: () => void;
  children: ReactNode;
};

/** Changes to another way to go on. */
export function SwitchButton({ onClick, onApproach, children }: Props) {
  return (
    <div className={styles.cancel}>
      <Button kind="quiet" onPointerEnter={onApproach} onFocus={onApproach} onClick={onClick}>
        {children}
      </Button>
    </div>
  );
}
