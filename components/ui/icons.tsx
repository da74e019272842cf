import type { ReactNode } from 'react';

type Glyph = 'alert' | 'check' | 'info' | 'eye' | 'eye-off' | 'sun' | 'moon' | 'globe' | 'passkey';

const EYE = 'M2.5 12q9.5-13 19 0-9.5 13-19 0zM15 12a3 3 0 1 1 0-.1z';

/** Path data of each icon. */
const STROKES: Record<Glyph, string> = {
  alert: 'M12 7v6m0 3.5v.5M12 3l9.5 17h-19z',
  check: 'M20 12a8 8 0 1 1-4-6.9M8.5 11.5l3 3L20 6',
  info: 'M12 11v5.5M12 7.5v.5M20 12a8 8 0 1 1 0-.1z',
  eye: EYE,
  'eye-off': `${EYE}M4 4l16 16`,
  sun: 'M12 8a4 4 0 1 1-.1 0zM12 2v2m0 16v2M5 5l1 1m12 12 1 1M2 12h2m16 0h2M5 19l1-1M18 6l1-1',
  globe: 'M21 12a9 9 0 1 1 0-.1zM3 12h18M12 3q-8 9 0 18 8-9 0-18',
  passkey:
    'M9 4.5a3.5 3.5 0 1 1-.1 0zM2.5 19.5c0-3 2.8-5 6.5-5q2 0 3.2.6M18 11.5a2.5 2.5 0 1 1-.1 0zM18 16.5v5l2-1.5M18 19h2',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
};

/** A stroked icon next to text with the same meaning. Hidden from screen readers. */
export function Icon({ glyph }: { glyph: Glyph }) {
  return (
    <Strokes size="1.25em">
      <path d={STROKES[glyph]} />
    </Strokes>
  );
}

/** The icon of the theme. The style of each class decides which of the two is visible. */
export function ThemeIcon({ sun, moon }: { sun: string | undefined; moon: string | undefined }) {
  return (
    <Strokes size="1.25em">
      <path className={sun} d={STROKES.sun} />
      <path className={moon} d={STROKES.moon} />
    </Strokes>
  );
}

/** The SVG element of every stroked icon, 24 by 24. @param props `size`: a CSS length */
export function Strokes({ size, children }: { size: string; children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
