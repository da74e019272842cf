/**
 * Whether a page is shown inside another app, where Google refuses to sign anybody in (`disallowed_useragent`): Android
 * marks its web view, and on iOS everything but a web view names the browser Safari.
 * @param userAgent as browsers send it
 */
export function isEmbeddedBrowser(userAgent: string): boolean {
  if (/; wv\)/.test(userAgent)) return true;
  return /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) && !/\bSafari\//.test(userAgent);
}
