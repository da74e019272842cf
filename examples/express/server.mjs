import express from 'express';
import { createIdentity } from './identity.mjs';
import { createCookieVerifier } from './session-cookie.mjs';

const {
  PORT = '3001',
  OWN_ORIGIN = `http://localhost:${PORT}`,
  IDENTITY_ORIGIN = 'http://localhost:3000',
  PROJECT_ID,
} = process.env;
const timeoutMs = Number(process.env.IDENTITY_TIMEOUT_MS || 5_000);
const options = {
  identityOrigin: IDENTITY_ORIGIN,
  ownOrigin: OWN_ORIGIN,
  timeoutMs,
  // The demo's identity provider does not sign cookies.
  verifyCookie: PROJECT_ID ? createCookieVerifier({ projectId: PROJECT_ID }) : undefined,
};
const { requireLearner, getSignOutUrl } = createIdentity(options);
/** For important changes, which must not use a cached response. */
const uncached = createIdentity({ ...options, cacheMs: 0 });

const app = express().disable('x-powered-by');
app.get('/', (_req, res) => void res.type('text').send('A public page'));
app.all('/dashboard', requireLearner, (req, res) => void res.json(req.learner));
app.get('/change', uncached.requireLearner, (_req, res) => void res.type('text').send('Changed'));
app.get('/sign-out', (_req, res) => res.redirect(getSignOutUrl('/')));
app.listen(Number(PORT), () => console.log(`Listening on ${OWN_ORIGIN}`));
