// Opens records as the app does, and writes until it is killed.
import { loadSource } from '../../scripts/lib/source-loader.mjs';

const [choice = '{}', uid = ''] = process.argv.slice(2);
const { openRecords } = loadSource('/lib/server/storage/records/index.ts');
const { insertEvent } = loadSource('/lib/server/storage/records/events.ts');
try {
  const records = await openRecords(JSON.parse(choice));
  console.log('open');
  for (let written = 1; uid; written += 1) {
    await insertEvent(records, { uid, kind: 'signed-in', at: new Date() });
    console.log(`written ${written}`);
  }
  await records.close();
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
