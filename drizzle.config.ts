import { defineConfig } from 'drizzle-kit';

/** Generates the SQL of a schema change: `npx drizzle-kit generate --name what_changes` */
export default defineConfig({
  dialect: 'postgresql',
  schema: './lib/server/storage/records/*schema.ts',
  out: './migrations',
});
