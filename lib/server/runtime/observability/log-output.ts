import { write, writeSync } from 'node:fs';
import { processWide } from '../process';

const STANDARD_OUTPUT = 1;
/** Maximum bytes that wait for a slow reader: about 4,000 lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Pause before the next attempt while the reader reads nothing. */
const RETRY_MS = 100;
/** Attempts at process exit. A reader must not delay the exit for more than a second. */
const EXIT_ATTEMPTS = 10;
/** A longer write is waiting for a stuck reader. */
const STUCK_MS = 1_000;

/**
 * Lines that are being written. `rest`: the unwritten rest. `since`: when the system call began, or null between two
 * attempts.
 */
type Chunk = { rest: Buffer; since: number | null };

/**
 * Writes lines to a file descriptor asynchronously and in order, and combines waiting lines. A full disk, a stuck
 * reader and a closed pipe only lose lines, which are counted. pino's own destination blocks the process while a reader
 * is stuck, and ends it if the disk is full.
 */
export class LogOutput {
  /** Lines lost since the process started. */
  lost = 0;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private chunk: Chunk | null = null;
  private isEnding = false;

  constructor(private readonly descriptor: number) {}

  /** @param line including its line feed */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.lost += 1;
      return;
    }
    this.waiting.push(line);
    this.waitingBytes += bytes;
    if (this.isEnding) this.writeRest();
    else if (this.chunk === null) this.writeWaiting();
  }

  /**
   * Writes the waiting lines at process exit, when asynchronous writes no longer finish. Later lines are written
   * synchronously. Gives up if the reader is stuck or the disk is full.
   */
  writeRest(): void {
    this.isEnding = true;
    const { rest, since } = this.chunk ?? { rest: Buffer.alloc(0), since: null };
    if (since !== null && performance.now() - since > STUCK_MS) return;
    // A running system call still writes its own part.
    let left = Buffer.concat([...(since === null ? [rest] : []), ...this.waiting.map((line) => Buffer.from(line))]);
    if (since === null) this.chunk = null;
    this.waiting = [];
    this.waitingBytes = 0;
    for (let attempt = 0; left.length > 0 && attempt < EXIT_ATTEMPTS;)
      try {
        left = left.subarray(writeSync(this.descriptor, left));
      } catch (error) {
        if (!isBusy(error)) return;
        attempt += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
  }

  private writeWaiting(): void {
    this.chunk = this.waiting.length === 0 ? null : { rest: Buffer.from(this.waiting.join('')), since: null };
    this.waiting = [];
    this.waitingBytes = 0;
    if (this.chunk) this.writeChunk(this.chunk);
  }

  private writeChunk(chunk: Chunk): void {
    chunk.since = performance.now();
    write(this.descriptor, chunk.rest, (error, written) => {
      chunk.since = null;
      if (error && isBusy(error)) {
        setTimeout(() => this.writeChunk(chunk), RETRY_MS).unref();
        return;
      }
      if (error) this.lost += countLines(chunk.rest);
      else chunk.rest = chunk.rest.subarray(written);
      if (error || chunk.rest.length === 0) this.writeWaiting();
      else this.writeChunk(chunk);
    });
  }
}

/** Returns the log output of this process, which writes to standard output. */
export const getLogOutput = (): LogOutput =>
  processWide('log-output', () => {
    const output = new LogOutput(STANDARD_OUTPUT);
    process.once('exit', () => output.writeRest());
    return output;
  });

/** Whether a pipe's reader does not read at the moment. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
