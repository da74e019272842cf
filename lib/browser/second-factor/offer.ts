import { storage } from '../storage';

const KEY = 'second-factor-put-off';
const DAY_MS = 86_400_000;

/**
 * Handles "Not now". The announced second factor is not mentioned again in this browser for a day. The account is not
 * stored.
 */
export function putSetUpOff(now = Date.now()): void {
  storage('localStorage').setItem(KEY, String(now));
}

export function isSetUpPutOff(now = Date.now()): boolean {
  const since = Number(storage('localStorage').getItem(KEY));
  return since > 0 && since <= now && now - since < DAY_MS;
}
