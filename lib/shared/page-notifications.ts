import type { ToastKey } from './notifications';

/**
 * Keys of `?notification=` whose message is part of the page, with their tones (docs/product.md#states). Only the server
 * reads them, so no page loads them.
 */
export const PAGE_NOTIFICATIONS = {
  ForcedSignOut: 'warning',
  DeletionScheduled: 'warning',
  SignedOut: 'success',
  SignedOutEverywhere: 'success',
  DeviceCleared: 'success',
  InviteFailed: 'error',
  InviteExpired: 'error',
} as const;

/** A message that is part of a page. */
export type PageNotification = {
  [Key in keyof typeof PAGE_NOTIFICATIONS]: { key: Key; tone: (typeof PAGE_NOTIFICATIONS)[Key] };
}[keyof typeof PAGE_NOTIFICATIONS];

export type NotificationKey = ToastKey | PageNotification['key'];

/** @returns undefined for another key */
export function findPageNotification(key: unknown): PageNotification | undefined {
  if (typeof key !== 'string' || !Object.hasOwn(PAGE_NOTIFICATIONS, key)) return undefined;
  const known = key as PageNotification['key'];
  return { key: known, tone: PAGE_NOTIFICATIONS[known] } as PageNotification;
}
