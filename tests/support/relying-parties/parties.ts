import type { RelyingParty } from './issuer';
import { startNodeProgram, startProgram } from './programs';

/** The system's Python, which has Debian's packages. */
const PYTHON = '/usr/bin/python3';
export const expressOpenidConnect: RelyingParty = {
  name: 'express',
  describeClient: (origin, local) => ({
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    backchannelLogoutUri: `${local}/backchannel-logout`,
  }),
  start: (settings) => startNodeProgram('express-openid-connect.mjs', settings),
};

/** This library has no PKCE and is not notified. */
export const passport: RelyingParty = {
  name: 'passport',
  describeClient: (origin) => ({
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    authentication: 'client_secret_post',
    pkce: false,
  }),
  start: (settings) => startNodeProgram('passport.mjs', settings),
};

export const authJs: RelyingParty = {
  name: 'auth-js',
  describeClient: (origin) => ({
    redirectUris: [`${origin}/auth/callback/campus`],
    postLogoutRedirectUris: [`${origin}/`],
  }),
  start: (settings) => startNodeProgram('auth-js.mjs', settings),
};

export const authlib: RelyingParty = {
  name: 'authlib',
  describeClient: (origin) => ({
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
  }),
  start: (settings) => startProgram([PYTHON], 'authlib_site.py', settings),
};

export const oidcClientTs: RelyingParty = {
  name: 'single-page-app',
  describeClient: (origin) => ({
    redirectUris: [`${origin}/callback`, `${origin}/frame`],
    postLogoutRedirectUris: [`${origin}/`],
    authentication: 'none',
    refreshTokens: true,
  }),
  start: (settings) => startNodeProgram('oidc-client-ts.mjs', settings),
};
