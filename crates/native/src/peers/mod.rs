//! Other AES libraries to compare with: loaded at run time, and never required for linking or running.
//!
//! | peer | interface | modes |
//! |---|---|---|
//! | OpenSSL | `libcrypto.so.3`, EVP | ECB, CBC both ways, CTR, GCM and XTS both ways |
//! | Intel ipsec-mb 1.3 | `libIPSec_MB.so.1` | ECB, CBC both ways, CTR, GCM both ways, CBC encryption of several streams |
//! | RustCrypto | crates aes, ecb, cbc, ctr (feature `peers`) | ECB, CBC both ways, CTR |
//! | AWS-LC | crate aws-lc-rs (feature `peers`) | ECB encryption, CTR |
//!
//! In GCM a call is what kernels do: the next text of a message that was begun before, without its first block and its tag.
//! RustCrypto, AWS-LC and ring seal whole messages only, which is more work, and are left out there. In XTS OpenSSL's call
//! makes the tweak of the first block, which kernels are given: one block more, which matters in short units only.
//!
//! A peer is called through a function of its own by the same loop that calls kernels, with a context in place of the
//! key. As for kernels, its key is set up before. If a library keeps the chain of IVs in its context, calls chain as
//! kernels' do; ipsec-mb and aws-lc-rs take a new IV each call.

#[cfg(feature = "peers")]
mod aws_lc;
mod ipsec_mb;
pub mod messages;
mod openssl;
#[cfg(feature = "peers")]
mod rustcrypto;

use std::ffi::c_void;

use aesmith_cipher::Problem;

use crate::stage::Stream;

/// The type of a peer's function: context, iv, in, out, len. For several streams the last four are the addresses of
/// arrays. The judge calls it as it calls kernels: on Linux, the only system that this judge runs on, C's calling
/// convention is that of the kernels.
pub type Call = unsafe extern "C" fn(*mut c_void, *const u8, *const u8, *mut u8, usize);

/// A library.
pub trait Peer {
    /// Its name in tables: one lower-case word.
    fn name(&self) -> &'static str;
    /// Its version, as the library reports it.
    fn version(&self) -> String;
    /// True if it restricts itself to the CPU features that `OPENSSL_ia32cap` allows.
    fn is_held(&self) -> bool {
        false
    }
    /// True if it can solve this problem.
    fn supports(&self, problem: Problem) -> bool;
    /// Sets up the streams' keys and IVs.
    ///
    /// # Errors
    /// A sentence about what the library refused.
    fn session(&self, problem: Problem, streams: &[Stream]) -> Result<Box<dyn Session>, String>;
}

/// A peer with its keys set up.
pub trait Session {
    /// The function and the context to call it with; both live as long as the session.
    fn entry(&mut self) -> (Call, *mut c_void);
    /// Restarts the chain of IVs.
    fn restart(&mut self, streams: &[Stream]);
}

/// The peers that are available on this machine: those that seal whole messages, if the environment names a package.
pub fn available() -> Vec<Box<dyn Peer>> {
    if let Some(peers) = messages::available() {
        return peers;
    }
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    peers.extend(openssl::OpenSsl::find().map(|p| Box::new(p) as Box<dyn Peer>));
    peers.extend(ipsec_mb::IpsecMb::find().map(|p| Box::new(p) as Box<dyn Peer>));
    #[cfg(feature = "peers")]
    {
        peers.push(Box::new(rustcrypto::RustCrypto));
        peers.push(Box::new(aws_lc::AwsLc));
    }
    peers
}
