// Loaded into an app under test with `--require`: moves its clock by what a file says, in milliseconds.
const { readFileSync } = require('node:fs');

const RealDate = Date;
let offset = 0;
setInterval(() => {
  offset = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
}, 50).unref();

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given));
  }
  // As its own, for whoever wraps it once more.
  static parse = RealDate.parse;
  static UTC = RealDate.UTC;
  static now() {
    return RealDate.now() + offset;
  }
};
