// An app under test loads this module with `--require`. It shifts the clock by the milliseconds in a file, and confirms
// the shift in another file.
const { readFileSync, writeFileSync } = require('node:fs');
const { ServerResponse } = require('node:http');

const file = process.env.CLOCK_FILE;
const RealDate = Date;
let taken;
let offset;
take();
setInterval(take, 50).unref();

function take() {
  const asked = readFileSync(file, 'utf8');
  if (asked === taken) return;
  [taken, offset] = [asked, Number(asked)];
  writeFileSync(`${file}.taken`, taken);
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given));
  }
  // These are own properties, because other code wraps this class again.
  static parse = RealDate.parse;
  static UTC = RealDate.UTC;
  static now() {
    return RealDate.now() + offset;
  }
};

// Node writes the `Date` header with a clock of its own.
// oxlint-disable-next-line typescript/unbound-method -- called with the response below
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (...given) {
  if (!this.headersSent) this.setHeader('date', new Date().toUTCString());
  return writeHead.apply(this, given);
};
