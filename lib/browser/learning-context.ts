import { storage } from '@/lib/browser/storage';
import { useEffect, useState } from 'react';

/**
 * Where the learner continues after sign-in: `domain` in its ASCII form, null for pages on localhost. Of a client of the OpenID Provider, `course`
 * is its name, or `domain`, where it is an app.
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
  // Of a client. It is not in the address, which anyone can write.
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
 * A domain as its owner writes it. The rules for that are loaded only when the domain has an encoded label (`xn--…`);
 * if they cannot be loaded, it stays in its ASCII form.
 * @returns null for no domain, and until the rules are loaded
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
