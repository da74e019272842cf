/// <reference types="next" />
/// <reference types="next/image-types/global" />

interface Navigator {
  /** Global Privacy Control; absent in browsers without it. */
  readonly globalPrivacyControl?: boolean;
}

/** How much longer the limits of real time are (lib/shared/time-limit.ts): absent in production, set by the tests. */
// oxlint-disable-next-line no-var -- only a `var` is a property of `globalThis`
declare var timeLimitFactor: number | undefined;
