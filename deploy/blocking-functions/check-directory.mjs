import { readFileSync } from 'node:fs';
import { parseDirectory } from './directory.mjs';

// Runs before each deployment. A missing or invalid file must fail the deployment, and not every sign-in after it.
parseDirectory(readFileSync(new URL('./directory.json', import.meta.url), 'utf8'));
