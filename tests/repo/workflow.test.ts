import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { steps } from '../../scripts/lib/test-steps.mjs';

type Workflow = {
  on: Record<string, unknown>;
  jobs: Record<string, { strategy: { matrix: { include: { node: string; steps: string }[] } }; steps: Step[] }>;
};
type Step = { run?: string; uses?: string; if?: string };
type Launch = {
  configurations: { name: string; preLaunchTask?: string; program?: string }[];
  compounds: { configurations: string[]; preLaunchTask: string }[];
};

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { on, jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as Workflow;
const matrix = jobs.test?.strategy.matrix.include ?? [];

test('CI runs everything on the Node of the image and .nvmrc, and selected steps on the oldest supported', () => {
  const [, image] = /NODE_IMAGE=node:(\d+)/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const { engines } = readJson('package.json') as { engines: { node: string } };
  expect(readFileSync('.nvmrc', 'utf8').trim()).toBe(image);
  expect(matrix.find(({ node }) => node === image)?.steps).toBe('');
  expect(matrix.map(({ node }) => `>=${node}`)).toContain(engines.node);
});

test('CI calls .ci/run, with existing steps', () => {
  expect(jobs.test?.steps.some(({ run }) => run?.startsWith('.ci/run'))).toBe(true);
  expect(existsSync('.ci/run')).toBe(true);
  const known = steps.map(({ name }) => name);
  for (const name of matrix.flatMap((entry) => entry.steps.split(' ').filter(Boolean))) expect(known).toContain(name);
});

test('the second tier runs every night, and by hand', () => {
  expect(Object.keys(on)).toEqual(expect.arrayContaining(['schedule', 'workflow_dispatch']));
  const all = jobs.test?.steps.find(({ run }) => run === 'npm run test:all');
  for (const event of ['schedule', 'workflow_dispatch']) expect(all?.if).toContain(`github.event_name == '${event}'`);
});

test('the debugger starts existing tasks and programs', () => {
  const { tasks } = readJson('.vscode/tasks.json') as { tasks: { label: string; command: string }[] };
  const { configurations, compounds } = readJson('.vscode/launch.json') as Launch;
  const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
  const named = [...configurations, ...compounds].flatMap(({ preLaunchTask }) => preLaunchTask ?? []);
  expect(named.filter((name) => !tasks.some(({ label }) => label === name))).toEqual([]);
  const commands = tasks.map(({ command }) => /^npm run ([\w:]+)/.exec(command)?.[1] ?? command);
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  const names = configurations.map(({ name }) => name);
  expect(compounds.flatMap((compound) => compound.configurations).filter((name) => !names.includes(name))).toEqual([]);
  const programs = configurations.flatMap(({ program }) => program?.replace('${workspaceFolder}/', '') ?? []);
  expect(programs.filter((file) => !existsSync(file))).toEqual([]);
});
