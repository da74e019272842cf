import type { ReactNode } from 'react';

type Glyph = 'alert' | 'check' | 'info' | 'eye' | 'eye-off' | 'close' | 'sun' | 'moon' | 'passkey';

const EYE = 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0z';

/** Path data of each icon. */
const STROKES: Record<Glyph, string> = {
  alert: 'M12 7v6m0 3.5v.5M12 3l9.5 17h-19z',
  check: 'M20 12a8 8 0 1 1-4-6.9M8.5 11.5l3 3L20 6',
  info: 'M12 11v5.5M12 7.5v.5M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0z',
  eye: EYE,
  'eye-off': `${EYE}M4 4l16 16`,
  close: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.5V4m0 16v1.5M4.6 4.6l1 1m12.8 12.8l1 1M2.5 12H4m16 0h1.5M4.6 19.4l1-1M18.4 5.6l1-1',
  passkey:
    'M9 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM2.5 19.5c0-3 2.8-5 6.5-5 1.2 0 2.3.2 3.2.6M18 11.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM18 16.5v5l1.8-1.3M18 19h1.6',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
};

/** A stroked icon next to text with the same meaning. Hidden from screen readers. */
export function Icon({ glyph }: { glyph: Glyph }) {
  return (
    <Strokes size="1.25em">
      <path d={STROKES[glyph]} />
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
