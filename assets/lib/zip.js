// Helper put in front of a component's own module: files in one ZIP archive, stored as they are (APPNOTE 6.3, method 0).

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Little-endian numbers: [value, bytes] each. */
function numbers(...fields) {
  return fields.flatMap(([value, size]) => Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) % 256));
}

/** The archive of `files`, { name, bytes } each; names in UTF-8. */
function zip(files) {
  const parts = [];
  const entries = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const title = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, stored, 1 January 1980.
    const common = numbers([20, 2], [0x0800, 2], [0, 2], [0, 2], [0x21, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [title.length, 2], [0, 2]);
    parts.push(Uint8Array.from([...numbers([0x04034b50, 4]), ...common]), title, bytes);
    entries.push(Uint8Array.from([...numbers([0x02014b50, 4], [20, 2]), ...common, ...numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])]), title);
    offset += 30 + title.length + bytes.length;
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  const whole = [...parts, ...entries, Uint8Array.from(end)];
  const archive = new Uint8Array(whole.reduce((sum, { length }) => sum + length, 0));
  whole.reduce((at, part) => (archive.set(part, at), at + part.length), 0);
  return archive;
}
