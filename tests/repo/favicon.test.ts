import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

it('/favicon.ico, which other products show beside our name, has an image for each size they use', () => {
  const file = readFileSync('public/favicon.ico');
  const [reserved, type, count] = [0, 2, 4].map((at) => file.readUInt16LE(at));
  expect([reserved, type]).toEqual([0, 1]);
  const sizes = Array.from({ length: count ?? 0 }, (_each, index) => {
    const at = 6 + 16 * index;
    const [length, offset] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)];
    const image = file.subarray(offset, offset + length);
    expect(image.subarray(0, 8)).toEqual(PNG);
    // Width and height in the file's header (PNG specification, section 11.2.2).
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([file[at], file[at + 1]]);
    return file[at];
  });
  expect(sizes).toEqual([16, 32, 48]);
});
