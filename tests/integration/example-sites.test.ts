// Threats: open-redirect
// example-sites.nightly.test.ts covers other frameworks and languages.
import { testExampleSites } from '../support/example-site-tests';
import { exampleSites } from '../support/example-sites';

testExampleSites(exampleSites.filter(({ folder }) => folder === 'express'));
