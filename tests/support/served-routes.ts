import { afterAll, beforeAll } from 'vitest';
import { serveRoutes, type RunningRoutes } from './routes';

/** Serves the API routes while the tests of one file run. The origin is known when they begin. */
export function servedRoutes(): Pick<RunningRoutes, 'origin'> {
  let app: RunningRoutes;
  beforeAll(async () => {
    app = await serveRoutes();
  });
  afterAll(() => app.close());
  return {
    get origin() {
      return app.origin;
    },
  };
}
