import { redactAddress, redactText } from '@/lib/redaction';

type Page = {
  document: { title: string };
  location: Pick<Location, 'href' | 'pathname' | 'search'>;
  innerWidth: number;
  innerHeight: number;
};

/**
 * The page-view payload (specification, section 7), redacted.
 * @param page the window
 * @param brandName the title's suffix ` | {brand}` is dropped
 */
export function pageView(
  { document: { title }, location, innerWidth, innerHeight }: Page,
  brandName: string,
  email: string,
  campaign: Record<string, string>,
) {
  const suffix = ` | ${brandName}`;
  return {
    title: redactText(title.endsWith(suffix) ? title.slice(0, -suffix.length) : title),
    url: redactAddress(location.href),
    path: redactAddress(location.pathname),
    search: redactText(location.search),
    width: innerWidth,
    height: innerHeight,
    event: 'Page View',
    email,
    ...campaign,
    v3: true,
  };
}
