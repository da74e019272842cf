import type { User } from 'firebase/auth';
import { readCookie } from '@/lib/browser/cookies';
import type { SignedInUser } from '@/lib/browser/auth/sign-in/events';
import type { Analytics } from './analytics';
import { campaignAttributes, readCampaign } from './campaign';
import { getTraits, getUserProperties, type AnalyticsUser } from './user-properties';

/** The stored campaign's attributes. */
export function currentCampaign(): Record<string, string> {
  const campaign = readCampaign();
  return campaign ? campaignAttributes(campaign) : {};
}

/** Identifies the learner for all following events and sets their traits. */
export async function introduce(analytics: Analytics, user: AnalyticsUser): Promise<void> {
  const { email, uid } = user;
  if (!email) return analytics.forget();
  const campaign = currentCampaign();
  const visit = {
    sessionId: readCookie('sessionId'),
    clickId: readCookie('clickId'),
    source: campaign.utm_source_latest,
  };
  // Start both in parallel: the page may be about to unload.
  const identified = analytics.identify({ email, uid });
  const described = analytics.peopleSet({ ...getTraits(user, campaign), ...getUserProperties(user, visit) });
  await Promise.all([identified, described]);
}

/** What is known of a user who has just signed in: of one with a passkey not what the identity provider knows. */
export function toAnalyticsUser(user: User | SignedInUser, method: string): AnalyticsUser {
  if (!('providerData' in user)) return { ...user, photoURL: null };
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
