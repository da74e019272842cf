import { createRequire } from 'node:module';
import { installed } from './paths.mjs';

const fromTools = createRequire(installed('firebase-tools/package.json'));
const { default: Ajv } = createRequire(fromTools.resolve('exegesis'))('ajv');

// The emulator creates an Ajv instance for each parameter of its API. Each instance compiles the JSON Schema
// meta-schema again to check the emulator's own schemas, which takes ten of the twelve seconds of its startup. Requests
// are still validated.
Ajv.prototype.validateSchema = () => true;
