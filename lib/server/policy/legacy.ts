import type { RolloutMode } from '@/lib/shared/config/public-env';

/** Custom claim of users imported from the previous system (docs/product.md#states). */
export const LEGACY_CLAIM = 'legacy';

/** Values of the cookie `legacy-user-status` (docs/product.md#states). */
export type LegacyStatus = 'legacy' | 'v3';

/** @param claims custom claims of the account; any value but `true` counts as not marked */
export function getLegacyStatus(claims: Record<string, unknown> | undefined): LegacyStatus {
  return claims?.[LEGACY_CLAIM] === true ? 'legacy' : 'v3';
}

/** The step a legacy user must complete before a session is created, by rollout mode (docs/product.md#states). */
export const LEGACY_GATE = {
  V3Only: null,
  V3AndV2: null,
  V3FirstLogin: 'legacy-reset-required',
  V2FirstLogin: 'legacy-sign-in-required',
} as const satisfies Record<RolloutMode, string | null>;
