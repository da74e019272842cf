import { useId } from 'react';
import type { SocialProvider } from '@/lib/shared/providers/social-providers';
import { BusyStatus } from './button';
import buttons from './button.module.css';
import styles from './provider-button.module.css';
import { ProviderMark } from './provider-mark';

type Props = {
  provider: Pick<SocialProvider, 'name' | 'mark' | 'monochrome'>;
  /** The full accessible name: `Continue with …`. */
  label: string;
  /** Shows only the provider's name next to the mark. */
  compact?: boolean;
  note?: string | undefined;
  busy: boolean;
  busyLabel: string;
  onPress: (button: HTMLButtonElement) => void;
  onApproach: () => void;
};

/** A provider's button, styled by the provider's brand guidelines. */
export function ProviderButton(props: Props) {
  const { provider, label, compact = false, note, busy, busyLabel, onPress, onApproach } = props;
  const noteId = useId();
  return (
    <>
      <button
        type="button"
        className={[buttons.button, buttons.secondary, styles.provider, busy ? buttons.busy : ''].join(' ')}
        aria-label={label}
        aria-describedby={note === undefined ? undefined : noteId}
        aria-disabled={busy || undefined}
        onClick={busy ? undefined : (event) => onPress(event.currentTarget)}
        onPointerEnter={onApproach}
        onFocus={onApproach}
      >
        <span className={`${buttons.label ?? ''} ${styles.content ?? ''}`}>
          <ProviderMark provider={provider} />
          <span>{compact ? provider.name : label}</span>
          {note !== undefined && (
            <span className={styles.note} id={noteId}>
              {note}
            </span>
          )}
        </span>
        {busy && <span className={buttons.spinner} aria-hidden="true" />}
      </button>
      <BusyStatus>{busy && busyLabel}</BusyStatus>
    </>
  );
}
