// Records the API description's examples from the responses of the integration tests: `npm run docs:examples`. To
// record the calls of some tests only: `npm run docs:examples -- tests/integration/mobile.test.ts`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { format } from 'oxfmt';
import { mergeExamples, selectExamples } from './lib/api-examples.mjs';
import { installed, root } from './lib/paths.mjs';

const file = path.join(root, 'scripts/openapi/examples.json');
const tests = process.argv.slice(2);
const dir = mkdtempSync(path.join(os.tmpdir(), 'api-answers-'));
const vitest = ['run', '--project', 'integration', '--exclude', '**/fuzz*.test.ts', ...tests];
const run = spawnSync(process.execPath, [installed('vitest/vitest.mjs'), ...vitest], {
  cwd: root,
  env: { ...process.env, RECORD_API_ANSWERS: dir },
  stdio: 'inherit',
});
const answers = readdirSync(dir).flatMap((name) =>
  readFileSync(path.join(dir, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
);
rmSync(dir, { recursive: true });
if (run.status !== 0) throw new Error('Nothing was recorded: tests failed.');

const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8'));
const ids = Object.entries(paths).map(([name, methods]) => [name, Object.values(methods)[0].operationId]);
const recorded = selectExamples(answers, Object.fromEntries(ids));
const examples = tests.length > 0 ? mergeExamples(JSON.parse(readFileSync(file, 'utf8')), recorded) : recorded;
writeFileSync(file, (await format(file, JSON.stringify(examples), { printWidth: 120 })).code);
console.log(`${path.relative(root, file)}: now run npm run docs`);
