// Makes a release: `npm run release -- 0.9.0`
import { release } from './lib/release.mjs';

try {
  release(process.argv[2] ?? '');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
