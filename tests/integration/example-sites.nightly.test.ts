// Threats: open-redirect
import { testExampleSites } from '../support/example-site-tests';
import { exampleSites } from '../support/example-sites';

testExampleSites(exampleSites.filter(({ folder }) => folder !== 'express'));
