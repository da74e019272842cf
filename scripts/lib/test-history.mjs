import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {{ seconds: number, tests: Record<string, number> }} StepHistory duration of a step, and of each test in ms
 * @typedef {Record<string, StepHistory>} History by step
 */

/** @param {string} file @returns {History} empty when there was no earlier run */
export function readHistory(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Saves the durations of the steps that ran, and keeps those of the steps that did not.
 * @param {string} file @param {History} steps
 */
export function saveHistory(file, steps) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...readHistory(file), ...steps }));
}
