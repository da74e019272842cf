import { afterEach, expect, it, vi } from 'vitest';
import { displayMomentInUtc } from './moment';

afterEach(() => void vi.restoreAllMocks());

it('writes a moment the same with each version of Intl', () => {
  const { prototype } = Intl.DateTimeFormat as { prototype: { format: unknown } };
  vi.spyOn(prototype, 'format', 'get').mockReturnValue(() => 'November 21, 2026 at 10:42\u202fAM');
  expect(displayMomentInUtc('2026-11-21T10:42:00Z')).toBe('November 21, 2026 at 10:42 AM UTC');
});
