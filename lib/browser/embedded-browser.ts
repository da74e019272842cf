/**
 * Whether a page is shown inside another app, where Google blocks sign-in (`disallowed_useragent`). Android marks its
 * WebView. On iOS, only a WebView omits Safari from the user agent.
 * @param userAgent the browser's user agent string
 */
export function isEmbeddedBrowser(userAgent: string): boolean {
  if (/; wv\)/.test(userAgent)) return true;
  return /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) && !/\bSafari\//.test(userAgent);
}
