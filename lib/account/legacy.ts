import type { RolloutMode } from '@/lib/config/public-env';

/** Custom claim of people who come from the previous system (product decisions, 6). */
export const LEGACY_CLAIM = 'legacy';

/** Values of the cookie `legacy-user-status` (specification, section 3). */
export type LegacyStatus = 'legacy' | 'v3';

export function legacyStatusOf(claims: Record<string, unknown> | undefined): LegacyStatus {
  return claims?.[LEGACY_CLAIM] === true ? 'legacy' : 'v3';
}

/** What a legacy person must do before a session is opened, by rollout mode (specification, section 4). */
export const LEGACY_GATE = {
  V3Only: null,
  V3AndV2: null,
  V3FirstLogin: 'legacy-reset-required',
  V2FirstLogin: 'legacy-sign-in-required',
} as const satisfies Record<RolloutMode, string | null>;
