import { expect, test } from 'vitest';
import { openDirectoryFile } from '@/lib/server/policy/directory';
import { openOriginsFile } from '@/lib/server/runtime/app-config';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { sampleFiles } from '../../scripts/lib/paths.mjs';

test.each([
  ['DIRECTORY_FILE', openDirectoryFile(sampleFiles.DIRECTORY_FILE)],
  ['ORIGINS_FILE', openOriginsFile(sampleFiles.ORIGINS_FILE)],
])('a start with the sample of %s reports nothing', async (_, { getState }) => {
  const reports: unknown[] = [];
  connectErrorSink((report) => reports.push(report));
  expect(await getState()).toMatchObject({ problems: [], notes: [], isUsable: true });
  expect(reports).toEqual([]);
});
