// Serves the API routes in a separate process, with its own configuration and memory.
import { openSource } from '../../scripts/lib/source-loader.mjs';

const { load } = await openSource();
const { serveRoutes } = await load('/tests/support/routes.ts');
const { origin } = await serveRoutes(Number(process.env.PORT));
console.log(`serving ${origin}`);
