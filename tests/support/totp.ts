import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_SECONDS = 30;
/** Seconds of a step that a slow machine needs until a code arrives. */
const ROOM_SECONDS = 5;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app with a key. It computes codes by RFC 6238 with the usual parameters. */
export class SoftwareApp {
  readonly #key: Buffer;
  #lastStep = 0;

  /** @param secret base32, with or without spaces */
  constructor(secret: string) {
    const bits = [...secret.replaceAll(/[\s=]/g, '')].map((letter) =>
      BASE32.indexOf(letter).toString(2).padStart(5, '0'),
    );
    this.#key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  }

  /**
   * Returns a code that was not used before. The code after the current code is also valid. For a later code, it waits.
   */
  async nextCode(): Promise<string> {
    const step = Math.max(this.#lastStep + 1, getStep());
    this.#lastStep = step;
    while (getStep() < step - 1) await sleep(200);
    return this.codeAt(step);
  }

  /** Returns a code that the app does not show now or soon. */
  wrongCode(): string {
    const valid = [-2, -1, 0, 1, 2].map((ahead) => this.codeAt(getStep() + ahead));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.includes(code)) ?? '';
  }

  /** RFC 4226, section 5.3. */
  codeAt(step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', this.#key).update(counter).digest();
    const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
    return String(number % 1_000_000).padStart(6, '0');
  }
}

const getStep = () => Math.floor(Date.now() / 1_000 / STEP_SECONDS);

/** Waits until the step does not change soon. Otherwise the previous code would be 60 s old when it arrives. */
export async function awaitRoomInStep(): Promise<void> {
  while ((Date.now() / 1_000) % STEP_SECONDS >= STEP_SECONDS - ROOM_SECONDS) await sleep(200);
}
