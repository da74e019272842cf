import { makeRecordsTemplate } from './lib/records-template.mjs';

await makeRecordsTemplate();
