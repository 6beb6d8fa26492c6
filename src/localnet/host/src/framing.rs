//! Messages: u8, u32, u64, i64 little endian; bytes = u32 length + data; list = u32 count +
//! items of bytes; option = u8 flag + bytes.

use soroban_env_host::xdr::{Limits, ReadXdr, WriteXdr};

/// Why a call could not even be attempted. The first byte of an answer is 0, else one of these.
#[derive(Clone, Copy)]
pub enum FailureKind {
    /// The message or an XDR in it is malformed.
    BadInput = 1,
    /// The ledger lacks a network setting, or holds a broken one.
    BadConfig = 2,
    /// The ledger callback returned what is no ledger entry.
    BadLedger = 3,
    /// The host's own fault; stellar-core answers txINTERNAL_ERROR.
    Internal = 4,
}

pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
}

pub type Res<T> = Result<T, Failure>;

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// Depth as in stellar-core's own decoder; length above any transaction's.
const READ_LIMITS: Limits = Limits {
    depth: 500,
    len: 16 << 20,
};
const WRITE_LIMITS: Limits = Limits {
    depth: 500,
    len: usize::MAX,
};

pub fn decode<T: ReadXdr>(bytes: &[u8], what: &str) -> Res<T> {
    T::from_xdr(bytes, READ_LIMITS)
        .map_err(|e| Failure::new(FailureKind::BadInput, format!("bad {what} XDR: {e}")))
}

pub fn encode<T: WriteXdr>(value: &T) -> Res<Vec<u8>> {
    value
        .to_xdr(WRITE_LIMITS)
        .map_err(|e| Failure::new(FailureKind::Internal, format!("cannot encode XDR: {e}")))
}

pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Res<&'a [u8]> {
        let Some((head, tail)) = self.0.split_at_checked(length) else {
            return Err(Failure::new(FailureKind::BadInput, "short message"));
        };
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Res<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub fn u8(&mut self) -> Res<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn bool(&mut self) -> Res<bool> {
        Ok(self.u8()? != 0)
    }

    pub fn u32(&mut self) -> Res<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Res<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn bytes(&mut self) -> Res<&'a [u8]> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    pub fn hash(&mut self) -> Res<[u8; 32]> {
        self.array()
    }

    pub fn xdr<T: ReadXdr>(&mut self, what: &str) -> Res<T> {
        decode(self.bytes()?, what)
    }

    pub fn list(&mut self) -> Res<Vec<&'a [u8]>> {
        let count = self.u32()?;
        (0..count).map(|_| self.bytes()).collect()
    }

    pub fn numbers(&mut self) -> Res<Vec<u32>> {
        let count = self.u32()?;
        (0..count).map(|_| self.u32()).collect()
    }

    pub fn xdrs<T: ReadXdr>(&mut self, what: &str) -> Res<Vec<T>> {
        self.list()?
            .into_iter()
            .map(|bytes| decode(bytes, what))
            .collect()
    }
}

#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.u32(value.len() as u32);
        self.0.extend_from_slice(value);
    }

    pub fn option(&mut self, value: Option<&[u8]>) {
        self.u8(value.is_some() as u8);
        if let Some(value) = value {
            self.bytes(value);
        }
    }

    pub fn numbers(&mut self, values: &[u32]) {
        self.u32(values.len() as u32);
        values.iter().for_each(|value| self.u32(*value));
    }

    pub fn list<B: AsRef<[u8]>>(&mut self, values: &[B]) {
        self.u32(values.len() as u32);
        values.iter().for_each(|value| self.bytes(value.as_ref()));
    }

    pub fn xdrs<T: WriteXdr>(&mut self, values: &[T]) -> Res<()> {
        self.u32(values.len() as u32);
        for value in values {
            self.bytes(&encode(value)?);
        }
        Ok(())
    }
}
