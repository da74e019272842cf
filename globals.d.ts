/// <reference types="next" />
/// <reference types="next/image-types/global" />

interface Navigator {
  /** Global Privacy Control. Absent in browsers without it. */
  readonly globalPrivacyControl?: boolean;
}

/** Factor for the limits of real time (lib/shared/time-limit.ts). Absent in production, and set by the tests. */
// oxlint-disable-next-line no-var -- only a `var` is a property of `globalThis`
declare var timeLimitFactor: number | undefined;
