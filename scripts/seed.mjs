import { sampleUsers } from './lib/sample-users.mjs';
import { seed } from './lib/seed.mjs';

const host = process.env.FIREBASE_AUTH_EMULATOR_HOST || `localhost:${process.env.EMULATOR_PORT || 9099}`;
const projectId = process.env.NEXT_PUBLIC_FIREBASE_PROJECT_ID || 'demo-campus';

await seed({ host, projectId });
console.log(`Seeded ${sampleUsers.length} users at ${host}.`);
