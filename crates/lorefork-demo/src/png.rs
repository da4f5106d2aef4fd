//! Writes small PNG pictures: a palette, and runs of equal pixels.
//!
//! Pictures of this sample are flat areas, for which run lengths in one fixed Huffman block are as
//! good as a real compressor. That saves a dependency for two files.

/// A picture of palette colours, row by row.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) palette: Vec<[u8; 3]>,
    pub(super) pixels: Vec<u8>,
}

impl Picture {
    /// The PNG file, with `texts` as `tEXt` chunks before its end.
    pub(super) fn encode(&self, texts: &[(&str, String)]) -> Vec<u8> {
        let height = self.pixels.len() as u32 / self.width;
        let mut header = Vec::new();
        header.extend(self.width.to_be_bytes());
        header.extend(height.to_be_bytes());
        // Eight bits, palette, and the only compression, filter and interlacing worth having here.
        header.extend([8, 3, 0, 0, 0]);

        let rows = self.pixels.chunks(self.width as usize);
        let unfiltered: Vec<u8> =
            rows.flat_map(|row| std::iter::once(0).chain(row.iter().copied())).collect();

        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut file, b"IHDR", &header);
        chunk(&mut file, b"PLTE", self.palette.as_flattened());
        chunk(&mut file, b"IDAT", &zlib(&unfiltered));
        for (keyword, text) in texts {
            chunk(&mut file, b"tEXt", format!("{keyword}\0{text}").as_bytes());
        }
        chunk(&mut file, b"IEND", &[]);
        file
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = crc32(&file[start..]);
    file.extend(sum.to_be_bytes());
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

/// A zlib stream of one block with the fixed Huffman codes.
fn zlib(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x78, 0x01], pending: 0, count: 0 };
    bits.put(0b011, 3);
    for run in data.chunk_by(|a, b| a == b) {
        bits.symbol(u32::from(run[0]));
        let mut rest = run.len() - 1;
        while rest >= 3 {
            let length = rest.min(258);
            bits.repeat(length as u32);
            rest -= length;
        }
        for _ in 0..rest {
            bits.symbol(u32::from(run[0]));
        }
    }
    bits.symbol(256);
    bits.put(0, 7);
    bits.bytes.extend(adler32(data).to_be_bytes());
    bits.bytes
}

struct Bits {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl Bits {
    /// Adds the low bits of `value`, lowest first. Whole bytes are flushed; up to seven bits stay
    /// pending.
    fn put(&mut self, value: u32, count: u32) {
        self.pending |= value << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// A literal, the end of the block, or a length: RFC 1951, 3.2.6. Huffman codes go highest bit
    /// first.
    fn symbol(&mut self, symbol: u32) {
        let (code, count) = match symbol {
            0..=143 => (0x30 + symbol, 8),
            144..=255 => (0x190 + symbol - 144, 9),
            256..=279 => (symbol - 256, 7),
            _ => (0xC0 + symbol - 280, 8),
        };
        self.put(code.reverse_bits() >> (32 - count), count);
    }

    /// The byte before, 3 to 258 times: RFC 1951, 3.2.5.
    fn repeat(&mut self, length: u32) {
        if length == 258 {
            self.symbol(285);
        } else {
            let over = length - 3;
            let extra = over.checked_ilog2().unwrap_or(0).saturating_sub(2);
            self.symbol(257 + (extra << 2) + (over >> extra));
            self.put(over & ((1 << extra) - 1), extra);
        }
        // A distance of one.
        self.put(0, 5);
    }
}
