import type { User } from 'firebase/auth';
import { readCookie } from '@/lib/cookies/browser';
import type { Analytics } from './analytics';
import { campaignAttributes, readCampaign } from './campaign';
import { traitsOf, userPropertiesOf, type Person } from './person';

/** The stored campaign's attributes. */
export function currentCampaign(): Record<string, string> {
  const campaign = readCampaign();
  return campaign ? campaignAttributes(campaign) : {};
}

/** Says whom everything that follows is about, and what is known of them. */
export async function introduce(analytics: Analytics, person: Person): Promise<void> {
  const { email, uid } = person;
  if (!email) return analytics.forget();
  const campaign = currentCampaign();
  const visit = {
    sessionId: readCookie('sessionId'),
    clickId: readCookie('clickId'),
    source: campaign.utm_source_latest,
  };
  // Both are begun at once: the page may be left in a moment.
  const identified = analytics.identify({ email, uid });
  const described = analytics.peopleSet({ ...traitsOf(person, campaign), ...userPropertiesOf(person, visit) });
  await Promise.all([identified, described]);
}

/** What the identity provider says of a person who has just signed in. */
export function personOf(user: User, method: string): Person {
  const { uid, email, displayName, photoURL, providerData, metadata, isAnonymous } = user;
  const account = {
    providerId: method,
    providerIds: providerData.map(({ providerId }) => providerId),
    createdAt: metadata.creationTime,
    lastSignInAt: metadata.lastSignInTime,
    anonymous: isAnonymous,
  };
  return { uid, email, displayName, photoURL, account };
}
