//! Peers that seal whole messages of GCM, from the nonce to the tag of 16 bytes: a package of aesmith, as users link it, and
//! the libraries beside it. A process that [`PACKAGE`] names one to has these peers and no others. Keys are set up before.
//!
//! | peer | a call |
//! |---|---|
//! | a package | its `_seal` |
//! | OpenSSL | EVP with the context and key of the call before: nonce, data, text, end, tag |
//! | Intel ipsec-mb 1.3 | the function of its direct API for a message |

mod openssl;
mod package;

use std::path::Path;

use aesmith_cipher::Problem;
use aesmith_cipher::mode::Hashed;

use super::Peer;
use super::ipsec_mb::IpsecMb;

/// The environment variable with the path of a package's shared library.
pub const PACKAGE: &str = "AESMITH_PACKAGE";
/// The environment variable with the number of bytes of additional data, at most [`MOST_DATA`]; 0 if it is not set.
pub const DATA_BYTES: &str = "AESMITH_DATA_BYTES";
/// The most bytes of additional data.
pub const MOST_DATA: usize = 64;

/// Bytes of a nonce that the standard takes as it is.
const NONCE_BYTES: usize = 12;
/// Bytes of a tag.
const TAG_BYTES: usize = 16;

/// The additional data of each message, and room for its tag.
struct Around {
    data: [u8; MOST_DATA],
    count: usize,
    tag: [u8; TAG_BYTES],
}

impl Around {
    /// With as many bytes of data as the environment says.
    fn new() -> Result<Around, String> {
        let said = std::env::var(DATA_BYTES).unwrap_or_else(|_| "0".into());
        let count = said.parse().ok().filter(|count| *count <= MOST_DATA);
        let count = count.ok_or_else(|| format!("{DATA_BYTES} is `{said}`, and at most {MOST_DATA}"))?;
        Ok(Around { data: std::array::from_fn(|i| i as u8), count, tag: [0; TAG_BYTES] })
    }
}

/// True if the problem is the encryption of messages with a tag.
fn seals(problem: Problem) -> bool {
    problem.mode().hashed() == Some(Hashed::Output)
}

/// The peers with a package; `None` if the environment names none.
pub(super) fn available() -> Option<Vec<Box<dyn Peer>>> {
    let path = std::env::var_os(PACKAGE)?;
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(package::Package::new(Path::new(&path)))];
    peers.extend(openssl::OpenSsl::find().map(|peer| Box::new(peer) as Box<dyn Peer>));
    peers.extend(IpsecMb::find().map(|peer| Box::new(IpsecSeals(peer)) as Box<dyn Peer>));
    Some(peers)
}

/// ipsec-mb's function for a message.
struct IpsecSeals(IpsecMb);

impl Peer for IpsecSeals {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn version(&self) -> String {
        self.0.version()
    }

    fn supports(&self, problem: Problem) -> bool {
        seals(problem)
    }

    fn session(
        &self,
        problem: Problem,
        streams: &[crate::stage::Stream],
    ) -> Result<Box<dyn super::Session>, String> {
        let Around { data, count, .. } = Around::new()?;
        self.0.whole_messages(problem, streams, &data[..count])
    }
}
