import { buildAssetLinks, wellKnownRoute } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

/** `/.well-known/assetlinks.json` (middleware.ts). */
export default wellKnownRoute(buildAssetLinks);
