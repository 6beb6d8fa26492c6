//! What stellar-core counts while it applies an invocation (`HostFunctionMetrics` of its
//! InvokeHostFunctionOpFrame.cpp), besides the instructions, memory and time of the host.

use crate::framing::Writer;

/// A sum of bytes, and its largest part.
#[derive(Default)]
struct Size {
    sum: u32,
    max: u32,
}

impl Size {
    fn add(&mut self, bytes: usize) {
        self.sum += bytes as u32;
        self.max = self.max.max(bytes as u32);
    }
}

#[derive(Default)]
struct Entries {
    count: u32,
    key: Size,
    data: Size,
    code: Size,
}

impl Entries {
    fn bytes(&self) -> u32 {
        self.data.sum + self.code.sum
    }

    fn add(&mut self, is_code: bool, key_size: usize, size: usize) {
        self.count += 1;
        self.key.add(key_size);
        if is_code {
            self.code.add(size);
        } else {
            self.data.add(size);
        }
    }
}

#[derive(Default)]
pub struct Metrics {
    read: Entries,
    written: Entries,
    events: u32,
    /// Bytes of events, at last with the return value.
    emitted: Size,
    return_value: u32,
}

impl Metrics {
    pub fn read_from_disk(&mut self, is_code: bool, key_size: usize, size: usize) {
        self.read.add(is_code, key_size, size);
    }

    /// A contract entry that is live, or missing: its size does not count.
    pub fn read_from_memory(&mut self) {
        self.read.count += 1;
    }

    pub fn written(&mut self, is_code: bool, key_size: usize, size: usize) {
        self.written.add(is_code, key_size, size);
    }

    pub fn emitted(&mut self, size: usize) {
        self.events += 1;
        self.emitted.add(size);
    }

    pub fn returned(&mut self, size: usize) {
        self.return_value = size as u32;
    }

    pub fn read_bytes(&self) -> u64 {
        self.read.bytes().into()
    }

    pub fn written_bytes(&self) -> u64 {
        self.written.bytes().into()
    }

    pub fn emitted_bytes(&self) -> u32 {
        self.emitted.sum + self.return_value
    }

    /// out: u32 each, in the order of stellar-core's `core_metrics` events without those of the
    /// host: entries read and written, bytes read and written, bytes of keys read and written,
    /// of data read and written, of code read and written, events and their bytes, the largest
    /// key, data and code entry, the largest event
    pub fn write(&self, out: &mut Writer) {
        let (read, written) = (&self.read, &self.written);
        let values = [
            read.count,
            written.count,
            read.bytes(),
            written.bytes(),
            read.key.sum,
            // stellar-core has this metric, but never counts it.
            0,
            read.data.sum,
            written.data.sum,
            read.code.sum,
            written.code.sum,
            self.events,
            self.emitted_bytes(),
            read.key.max.max(written.key.max),
            read.data.max.max(written.data.max),
            read.code.max.max(written.code.max),
            self.emitted.max,
        ];
        values.iter().for_each(|value| out.u32(*value));
    }
}
