import type { SocialProvider } from '@/lib/shared/providers';
import { MarkedButton, type MarkedButtonProps } from './marked-button';
import styles from './provider-mark.module.css';

type Props = Omit<MarkedButtonProps, 'mark' | 'text' | 'label'> & {
  provider: Pick<SocialProvider, 'name' | 'mark' | 'monochrome'>;
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

type ProviderMarkProps = { provider: Pick<SocialProvider, 'mark' | 'monochrome'> };

/** A provider's own mark in its own colors, next to its name; single-color marks follow the theme. */
export function ProviderMark({ provider: { mark, monochrome } }: ProviderMarkProps) {
  return (
    // eslint-disable-next-line @next/next/no-img-element -- a small static picture needs no optimizing
    <img
      className={monochrome ? styles.monochrome : undefined}
      src={`/providers/${mark}.svg`}
      alt=""
      width="18"
      height="18"
    />
  );
}
