import { createIdentity } from '../express/identity.mjs';
import { config } from './config.mjs';

/** @typedef {import('../express/identity.mjs').Learner} Learner */

export const { getSession, forget, getSignInUrl, getStepUpUrl } = createIdentity(config);
