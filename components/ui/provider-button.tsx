import type { SocialProvider } from '@/lib/shared/providers/social-providers';
import { MarkedButton, type MarkedButtonProps } from './marked-button';
import { ProviderMark } from './provider-mark';

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
