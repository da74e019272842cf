import type { SocialProvider } from '@/lib/shared/providers/social-providers';
import styles from './provider-mark.module.css';

type Props = { provider: Pick<SocialProvider, 'mark' | 'monochrome'> };

/** A provider's own mark in its own colors, next to its name; single-color marks follow the theme. */
export function ProviderMark({ provider: { mark, monochrome } }: Props) {
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
