import { storage } from '@/lib/browser/storage';
import { useEffect, useState } from 'react';

/**
 * Where the learner continues after sign-in. `domain`: in its ASCII form, or null for pages on localhost. For a client
 * of the OpenID Provider, `course` is its name, and `domain` is null if it is an app.
 */
type LearningContext = { domain: string | null; course: string | null };

/** A course slug in a platform URL. Long slugs and phone numbers are not course names. */
const COURSE = /\/courses\/([a-z]{1,24}(?:-(?:[a-z]{1,24}|\d{1,3})){0,9})(?=\/|$)/;

/**
 * Extracts the learning context from a URL that has passed the callback rules. The link's author controls its text, so
 * only a plausible course name is displayed.
 * @param destination the URL where the learner continues
 * @returns null for paths of this app and the mobile app, which have no name to show to a learner
 */
export function getLearningContext(destination: string): LearningContext | null {
  if (!/^https?:/.test(destination)) return null;
  const { host, hostname, pathname } = new URL(destination);
  // The context of a client is in this tab's storage and not in the URL, which anyone can forge.
  if (host === location.host) return storage('sessionStorage').getJson(destination) as LearningContext | null;
  const slug = COURSE.exec(pathname)?.[1];
  return {
    domain: hostname === 'localhost' ? null : hostname,
    course: slug === undefined ? null : getCourseName(slug),
  };
}

function getCourseName(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Returns a domain in its owner's spelling. It loads the rules only if the domain has an encoded label (`xn--…`). If
 * they cannot be loaded, the domain stays in its ASCII form.
 * @returns null without a domain, and until the rules are loaded
 */
export function useDisplayDomain(domain: string | null): string | null {
  const [written, setWritten] = useState<{ domain: string; text: string } | null>(null);
  const encoded = domain !== null && /(?:^|\.)xn--/.test(domain) ? domain : null;
  useEffect(() => {
    if (encoded === null) return;
    import('@/lib/shared/display-domain').then(
      ({ toDisplayDomain }) => setWritten({ domain: encoded, text: toDisplayDomain(encoded) }),
      () => setWritten({ domain: encoded, text: encoded }),
    );
  }, [encoded]);
  if (encoded === null) return domain;
  return written?.domain === encoded ? written.text : null;
}
