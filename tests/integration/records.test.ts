// Threats: data-in-errors, event-suppression
import { testRecords } from '../support/records-tests';

testRecords();
