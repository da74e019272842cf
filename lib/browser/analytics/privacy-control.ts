/**
 * Whether this browser sends `Sec-GPC: 1`, which refuses whatever the consent cookie says (Global Privacy Control, section 3.2). Not in
 * consent.ts, which every page loads.
 */
export function isPrivacyControlOn(): boolean {
  return navigator.globalPrivacyControl === true;
}
