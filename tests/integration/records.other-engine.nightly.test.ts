// Threats: data-in-errors, event-suppression
import { describeOtherEngine } from '../support/databases';
import { testRecords } from '../support/records-tests';

describeOtherEngine(testRecords);
