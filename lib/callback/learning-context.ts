/** Where a learner goes on to, in words (craft: the context of learning stays in sight on every step). */
export type LearningContext = { place: string; course: string | null };

/** A course's name as platforms write it into addresses. Long ones, and numbers to call, are no names of courses. */
const COURSE = /\/courses\/([a-z]{1,24}(?:-(?:[a-z]{1,24}|\d{1,3})){0,9})(?=\/|$)/;

/**
 * Reads an address that has passed the callback rules. Whoever made the link chose its words, so only what looks like a
 * course's name is repeated.
 * @param destination where the learner goes on to
 * @param brandName what pages on this machine are called
 * @returns null for own pages and the mobile app, which are no places to a learner
 */
export function learningContextOf(destination: string, brandName: string): LearningContext | null {
  if (!/^https?:/.test(destination)) return null;
  const { hostname, pathname } = new URL(destination);
  const slug = COURSE.exec(pathname)?.[1];
  return { place: hostname === 'localhost' ? brandName : hostname, course: slug === undefined ? null : nameOf(slug) };
}

function nameOf(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
