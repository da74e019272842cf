// ASVS: 6.3.3, 6.3.4
// Threats: factor-skipped
import {
  serveWithRules,
  testFactorsByMethod,
  testOrganizationRules,
  testRulesByMethod,
  RULES,
} from '../support/second-factor-required';

const rules = serveWithRules();
const methods = Object.keys(rules.ways);
testRulesByMethod(rules, methods, RULES);
testFactorsByMethod(rules, methods);
testOrganizationRules(rules, RULES);
