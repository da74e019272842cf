import { reportError } from '@/lib/shared/error-reporting/report';
import { getRecords, isRecordsError } from '@/lib/server/storage';
import { deleteExpiredArtifacts } from './rows';

const INTERVAL_MS = 60 * 60 * 1000;

/** Deletes codes, tokens and interactions that have expired, each hour: anyone can begin a sign-in, which leaves a row. */
export function scheduleOidcCleanup(): void {
  const run = () => {
    getRecords()
      .then(async (records) => {
        while ((await deleteExpiredArtifacts(records)) > 0);
      })
      .catch((error: unknown) => {
        if (!isRecordsError(error) || !error.isAway)
          reportError(error, { during: 'deleting expired OpenID Connect artifacts' });
      });
  };
  run();
  setInterval(run, INTERVAL_MS).unref();
}
