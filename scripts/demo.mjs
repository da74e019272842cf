// Use only syntax that every Node version parses: this file reports which Node version is required.
import { nodeProblem } from './lib/node-version.mjs';

const problem = nodeProblem(process.versions.node);
if (problem) {
  console.error(problem);
  process.exit(1);
}
import('./lib/demo.mjs')
  .then((demo) => demo.runDemo())
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
