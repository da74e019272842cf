/** Keys of `?notification=` that are shown as toasts, with their tones (docs/product.md#states). */
export const TOASTS = {
  AutoSignOut: 'info',
  AccountConfirmed: 'success',
  AutoLoginFailed: 'error',
  InviteAccepted: 'success',
} as const;
export type ToastKey = keyof typeof TOASTS;

export function isToastKey(value: unknown): value is ToastKey {
  return typeof value === 'string' && Object.hasOwn(TOASTS, value);
}
