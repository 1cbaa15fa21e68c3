// Chunks of packed columns, as io/page/packed_columns.hpp lays them out: a zlib stream in base64; in it each column is
// a byte with its number of planes, then the planes, lowest byte first.

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

export function floatsOf(base64: string): Float32Array {
  return new Float32Array(bytesOf(base64).buffer);
}

export function indicesOf(base64: string): Uint32Array {
  return new Uint32Array(bytesOf(base64).buffer);
}

/** The columns of chunk `number`, to be taken in the order in which they were written. */
export class Columns {
  private at = 0;

  private constructor(private readonly bytes: Uint8Array) {}

  static async of(number: number): Promise<Columns> {
    const element = document.getElementById(`chunk-${number}`);
    if (!element) throw new Error(`page: chunk ${number}: expected its data, found none: was the file cut short?`);
    const stream = new Blob([bytesOf(element.textContent!)]).stream().pipeThrough(new DecompressionStream("deflate"));
    try {
      return new Columns(new Uint8Array(await new Response(stream).arrayBuffer()));
    } catch {
      throw new Error(`page: chunk ${number}: expected deflated data, found others: is the file damaged?`);
    }
  }

  /** Unsigned numbers. */
  bits(count: number): Uint32Array<ArrayBuffer> {
    const planes = this.bytes[this.at++];
    const values = new Uint32Array(count);
    for (let plane = 0; plane < planes; ++plane) {
      for (let k = 0; k < count; ++k) values[k] |= this.bytes[this.at + k] << (8 * plane);
      this.at += count;
    }
    return values;
  }

  signed(count: number): Int32Array {
    const values = new Int32Array(this.bits(count).buffer);
    for (let k = 0; k < count; ++k) values[k] = (values[k] >>> 1) ^ -(values[k] & 1);
    return values;
  }

  /** `width` numbers a frame, predicted from the two frames before. */
  motion(count: number, width: number): Int32Array {
    const values = this.signed(count);
    for (let k = width; k < count; ++k) {
      const one = values[k - width];
      const two = k < 2 * width ? one : values[k - 2 * width];
      values[k] = (values[k] + 2 * one - two) | 0;
    }
    return values;
  }

  floats(count: number, bits = 32): Float32Array {
    const values = this.bits(count);
    if (bits < 32) for (let k = 0; k < count; ++k) values[k] <<= 32 - bits;
    return new Float32Array(values.buffer);
  }
}
