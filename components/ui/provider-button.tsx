import { useId, type ReactNode } from 'react';
import type { SocialProvider } from '@/lib/shared/sign-in-methods';
import { BusyStatus } from './button';
import buttons from './button.module.css';
import styles from './provider-button.module.css';

type Props = Omit<MarkedButtonProps, 'mark' | 'text' | 'label'> & {
  provider: ProviderMarkProps['provider'];
  /** The full accessible name: `Continue with …`. */
  label: string;
  /** Shows only the provider's name next to the mark. */
  compact?: boolean;
};

/** A provider's button, styled by the provider's brand guidelines. */
export function ProviderButton({ provider, label, compact = false, ...button }: Props) {
  return (
    <MarkedButton
      {...button}
      mark={<ProviderMark provider={provider} />}
      text={compact ? provider.name : label}
      label={label}
    />
  );
}

type ProviderMarkProps = { provider: Pick<SocialProvider, 'name' | 'monochrome'> };

/** A provider's own mark in its own colors, next to its name. Single-color marks follow the theme. */
export function ProviderMark({ provider: { name, monochrome } }: ProviderMarkProps) {
  return (
    // oxlint-disable-next-line nextjs/no-img-element -- a small static picture needs no optimizing
    <img
      className={monochrome ? styles.monochrome : undefined}
      src={`/providers/${name.toLowerCase()}.svg`}
      alt=""
      width="18"
      height="18"
    />
  );
}

type MarkedButtonProps = {
  mark: ReactNode;
  /** Text next to the mark. */
  text: string;
  /** The accessible name, if it is not the text. */
  label?: string;
  /** Shown after the text, as its description. */
  note?: string | undefined;
  busy: boolean;
  busyLabel: string;
  onPress: (button: HTMLButtonElement) => void;
  onApproach?: () => void;
};

/** A secondary button with a mark, for one of several sign-in methods. */
export function MarkedButton(props: MarkedButtonProps) {
  const { mark, text, label, note, busy, busyLabel, onPress, onApproach } = props;
  const noteId = useId();
  return (
    <>
      <button
        type="button"
        name="method"
        className={[buttons.button, buttons.secondary, styles.provider, busy ? buttons.busy : ''].join(' ')}
        aria-label={label ?? text}
        aria-describedby={note === undefined ? undefined : noteId}
        aria-disabled={busy || undefined}
        onClick={busy ? undefined : (event) => onPress(event.currentTarget)}
        onPointerEnter={onApproach}
        onFocus={onApproach}
      >
        <span className={`${buttons.label ?? ''} ${styles.content ?? ''}`}>
          {mark}
          <span>{text}</span>
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
