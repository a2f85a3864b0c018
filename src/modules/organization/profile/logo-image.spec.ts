import { describe, expect, it } from '@jest/globals';
import { jpeg, png, pngChunk } from '../../../../test/organization/logos.js';
import { readLogoImage } from './logo-image.js';

const codeOf = async (bytes: Buffer) =>
  readLogoImage(bytes).then(
    () => null,
    (error: { code?: string }) => error.code,
  );

/** Makes a header of 20,000 x 20,000 pixels without any pixel. */
const huge = () => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(20_000, 0);
  header.writeUInt32BE(20_000, 4);
  header[8] = 8;
  return Buffer.concat([png().subarray(0, 8), pngChunk('IHDR', header), pngChunk('IEND', Buffer.alloc(0))]);
};

describe('the image of a logo', () => {
  it.each([
    ['image/png', png({ width: 300, height: 100 })],
    ['image/jpeg', jpeg({ width: 300, height: 100 })],
  ])('the type %s and the dimensions are read from the content', async (type, bytes) => {
    expect(await readLogoImage(bytes)).toEqual({ type, widthPixels: 300, heightPixels: 100 });
  });

  it.each([
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
    ['an SVG with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a web page', Buffer.from('<!doctype html><script>1</script>')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['one byte', Buffer.from([0x89])],
  ])('%s is no logo', async (_, bytes) => {
    expect(await codeOf(bytes)).toBe('file_type_refused');
  });

  it.each([
    ['a PNG header of 20,000 x 20,000 pixels', huge()],
    ['a PNG of 4,097 pixels in one row', png({ width: 4_097, height: 1 })],
    ['a JPEG header of 20,000 x 20,000 pixels', jpeg({ width: 20_000, height: 20_000 })],
    ['a JPEG of 4,096 x 4,096 pixels', jpeg({ width: 4_096, height: 4_096 })],
  ])('%s is too large, without decoding it', async (_, bytes) => {
    expect(await codeOf(bytes)).toBe('image_too_large');
  });

  it.each([
    ['a truncated PNG', png().subarray(0, -20)],
    ['a PNG without its end', png().subarray(0, -12)],
    ['a PNG that is also a web page', Buffer.concat([png(), Buffer.from('<script>alert(1)</script>')])],
    ['a PNG with a wrong checksum', Buffer.from(png().fill(1, 20, 21))],
    ['a PNG whose pixels inflate to more than its size', png({ pixels: Buffer.alloc(10_000_000) })],
    ['a PNG whose pixels are missing', png({ pixels: Buffer.alloc(20) })],
    ['a PNG without pixels', png({ width: 0, height: 0, pixels: Buffer.alloc(0) })],
    ['a truncated JPEG', jpeg().subarray(0, -2)],
    ['a JPEG cut off in its header', jpeg().subarray(0, 8)],
    ['a JPEG that is also a ZIP archive', Buffer.concat([jpeg(), Buffer.from('PK\u0003\u0004')])],
    ['a JPEG without pixels', jpeg({ width: 0 })],
  ])('%s is damaged', async (_, bytes) => {
    expect(await codeOf(bytes)).toBe('image_damaged');
  });
});
