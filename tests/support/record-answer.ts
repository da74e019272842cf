import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { SeenAnswer } from './api-description';

/** `npm run docs:examples` sets this folder, in which the responses of a test run are collected. */
const folder = process.env.RECORD_API_ANSWERS;

/** Appends a response to the file of this process. */
export function recordAnswer({ method, path: address, status, type, body }: SeenAnswer): void {
  if (folder === undefined || method === 'OPTIONS' || method === 'HEAD') return;
  const line = JSON.stringify({ path: address, status, type, body });
  appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${line}\n`);
}
