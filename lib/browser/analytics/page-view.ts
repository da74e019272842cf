import { MAX_TEXT_LENGTH, redactAddress, redactText } from '@/lib/shared/redaction/redact';

type Page = {
  document: { title: string };
  location: Pick<Location, 'href' | 'pathname' | 'search'>;
  innerWidth: number;
  innerHeight: number;
};

/**
 * Builds the page-view payload (docs/product.md#analytics-and-error-reporting), redacted.
 * @param page the window
 * @param brandName removed from the title, where it is the suffix ` | {brand}`
 */
export function pageView(
  { document: { title }, location, innerWidth, innerHeight }: Page,
  brandName: string,
  email: string,
  campaign: Record<string, string>,
) {
  const suffix = ` | ${brandName}`;
  return {
    title: redactText(title.endsWith(suffix) ? title.slice(0, -suffix.length) : title, MAX_TEXT_LENGTH.analytics),
    url: redactAddress(location.href, MAX_TEXT_LENGTH.analytics),
    path: redactAddress(location.pathname, MAX_TEXT_LENGTH.analytics),
    search: redactText(location.search, MAX_TEXT_LENGTH.analytics),
    width: innerWidth,
    height: innerHeight,
    event: 'Page View',
    email,
    ...campaign,
    v3: true,
  };
}
