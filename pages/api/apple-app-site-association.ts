import { buildAppleAppSiteAssociation, wellKnownRoute } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

/** `/.well-known/apple-app-site-association` (middleware.ts). */
export default wellKnownRoute(buildAppleAppSiteAssociation);
