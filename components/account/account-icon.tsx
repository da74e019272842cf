import type { ReactNode } from 'react';
import { Strokes } from '@/components/ui/icons';

// Not among the icons of all pages: /sign-in would load them.
const STROKES: Record<'phone' | 'computer' | 'lock', ReactNode> = {
  phone: <path d="M8.5 2.5h7a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM11 18.5h2" />,
  computer: <path d="M5 4.5h14a1.5 1.5 0 0 1 1.5 1.5v9.5h-17V6A1.5 1.5 0 0 1 5 4.5zM1.5 18.5h21" />,
  lock: (
    <path d="M6.5 10.5h11a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 19v-7a1.5 1.5 0 0 1 1.5-1.5zM8 10.500V7a4 4 0 0 1 8 0v3.500M12 14.500v2" />
  ),
};

/** An icon next to text with the same meaning; hidden from screen readers. */
export function AccountIcon({ glyph }: { glyph: keyof typeof STROKES }) {
  return <Strokes size="1.25em">{STROKES[glyph]}</Strokes>;
}
