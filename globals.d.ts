/// <reference types="next" />
/// <reference types="next/image-types/global" />

interface Navigator {
  /** Global Privacy Control; absent in browsers without it. */
  readonly globalPrivacyControl?: boolean;
}
