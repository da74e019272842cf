import { z } from 'zod';
import { apiRoute, GRANT_TYPE } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';
import { redeemMobileCode, CUSTOM_TOKEN_TTL_SECONDS } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const exchange = {
  // Accepts any text, because a mistyped code is a wrong code and not a malformed request.
  code: z.string().min(1).max(512),
  /** 43 to 128 unreserved characters (RFC 7636, section 4.1). */
  code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
};
const body = z.object(exchange);
const tokenForm = z.object({
  grant_type: z.literal(GRANT_TYPE),
  ...exchange,
  /** The redirect URI of the authorization request. */
  redirect_uri: z.string().optional(),
});

type Body = z.output<typeof body> & Partial<z.output<typeof tokenForm>>;

/** Exchanges the mobile app's code for a custom token of the identity provider. It uses no cookies. */
export default apiRoute<Body>(
  { method: 'POST', body, tokenForm, stateChanging: false, audience: 'own', limit: 'mobile-token' },
  async ({ req, body: { code, code_verifier: verifier, redirect_uri: redirectUri, grant_type: grantType } }) => {
    const client = describeClient(req);
    if (grantType === undefined) return { customToken: await redeemMobileCode({ code, verifier, client }) };
    const token = await redeemMobileCode({ code, verifier, redirectUri, client });
    // It is not an access token. RFC 8693, section 2.2.1, defines this type for that.
    return { access_token: token, token_type: 'N_A', expires_in: CUSTOM_TOKEN_TTL_SECONDS };
  },
);
