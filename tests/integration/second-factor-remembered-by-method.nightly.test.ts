// ASVS: 6.3.3, 6.3.4
// Threats: remembered-browser-stolen, factor-skipped
import { serveRemembered } from '../support/remembered-browser';
import { testRememberedByMethod } from '../support/remembered-browser-ways';
import { createWays } from '../support/second-factor-ways';

const app = serveRemembered();
testRememberedByMethod(
  app,
  Object.keys(createWays(app).ways).filter((name) => name !== 'password'),
);
