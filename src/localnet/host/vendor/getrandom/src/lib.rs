//! getrandom's interface, always refusing: what the host computes is a function of its input,
//! and the seed of its random numbers is part of that input.
#![no_std]
use core::{fmt, mem::MaybeUninit, num::NonZeroU32};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Error(NonZeroU32);

impl Error {
    pub const UNSUPPORTED: Error = Error(NonZeroU32::MIN.saturating_add((1 << 31) - 1));
    pub const INTERNAL_START: u32 = 1 << 31;
    pub const CUSTOM_START: u32 = (1 << 31) + (1 << 30);

    pub const fn code(self) -> NonZeroU32 {
        self.0
    }

    pub fn raw_os_error(self) -> Option<i32> {
        None
    }
}

impl From<NonZeroU32> for Error {
    fn from(code: NonZeroU32) -> Self {
        Self(code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host has no source of entropy")
    }
}

impl core::error::Error for Error {}

pub fn getrandom(_: &mut [u8]) -> Result<(), Error> {
    Err(Error::UNSUPPORTED)
}

pub fn getrandom_uninit(_: &mut [MaybeUninit<u8>]) -> Result<&mut [u8], Error> {
    Err(Error::UNSUPPORTED)
}
