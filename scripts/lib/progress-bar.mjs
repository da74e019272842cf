const WIDTH = 30;

/** A progress bar on a terminal; elsewhere, one line per additional 10 %. */
export function progressBar(out = process.stderr) {
  let tenth = -1;
  return {
    /** @param {number} share 0 to 1 @param {string} words */
    show(share, words) {
      const part = Math.min(1, Math.max(0, share));
      const done = Math.round(part * WIDTH);
      const line = `[${'#'.repeat(done)}${'-'.repeat(WIDTH - done)}] ${Math.round(part * 100)} %  ${words}`;
      if (out.isTTY) out.write(`\r\u001b[K${line}`);
      else if (Math.floor(part * 10) > tenth) out.write(`${line}\n`);
      tenth = Math.floor(part * 10);
    },
    end() {
      if (out.isTTY) out.write('\n');
    },
  };
}
