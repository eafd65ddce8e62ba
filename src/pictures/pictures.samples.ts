/* Pictures of tests: whole as files, without colours that anybody would look at. */

interface Size {
  width: number
  height: number
}

export function png({ width, height }: Size): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', size), chunk('IDAT', Buffer.alloc(9)), chunk('IEND', Buffer.alloc(0))])
}

export function gif({ width, height }: Size, comment = ''): Buffer {
  const size = Buffer.alloc(7)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from(`${comment};`)])
}

export function jpeg({ width, height }: Size): Buffer {
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 17, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const camera = Buffer.from([0xff, 0xe1, 0, 8, 0x45, 0x78, 0x69, 0x66, 0, 0])
  const tables = Buffer.from([0xff, 0xff, 0xc4, 0, 4, 0, 0])
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), camera, tables, frame, scan, Buffer.from([0xff, 0xd9])])
}
