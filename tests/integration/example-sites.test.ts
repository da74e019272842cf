// Threats: open-redirect
// Other frameworks and languages: example-sites.nightly.test.ts.
import { testExampleSites } from '../support/example-site-tests';
import { exampleSites } from '../support/example-sites';

testExampleSites(exampleSites.filter(({ folder }) => folder === 'express'));
