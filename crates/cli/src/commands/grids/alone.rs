//! One run at a time on a card: two simultaneous measurements would disturb each other.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::say;
use aesmith_judge::outside::cache;
use std::fs::{File, TryLockError, create_dir_all};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The interval at which a waiting run checks if the card is free.
const AGAIN: Duration = Duration::from_millis(50);

/// Waits until no other run of this user measures on the card with this UUID. Dropping the file releases the card.
///
/// # Errors
/// A signal ended the wait.
pub fn alone(uuid: &str) -> Result<Option<File>, Failure> {
    alone_in(&cache(), uuid)
}

/// Waits like [`alone`], with a lock file in `folder`. `None` if it cannot be written: then there is no way to wait.
fn alone_in(folder: &Path, uuid: &str) -> Result<Option<File>, Failure> {
    let Ok(file) =
        create_dir_all(folder).and_then(|()| File::create(folder.join(format!("card-{uuid}.lock"))))
    else {
        return Ok(None);
    };
    let interrupted = interrupt::flag();
    let mut said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted(interrupt::signal().unwrap_or(libc::SIGINT as u8)));
        }
        if !std::mem::replace(&mut said, true) {
            say("another run measures on the card; this one waits for it");
        }
        std::thread::sleep(AGAIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_second_run_waits_for_the_first_on_its_card() {
        let place = crate::scratch::Scratch::new("alone").expect("a folder");
        let first = alone_in(place.path(), "aa").expect("no signal").expect("a lock");
        // The other card is free.
        assert!(alone_in(place.path(), "bb").expect("no signal").is_some());
        let begun = Instant::now();
        let held = Duration::from_millis(200);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(held);
                drop(first);
            });
            assert!(alone_in(place.path(), "aa").expect("no signal").is_some());
            assert!(begun.elapsed() >= held, "it has waited");
        });
        // This folder cannot be created.
        let file = place.path().join("file");
        std::fs::write(&file, "").expect("is written");
        assert!(alone_in(&file.join("within"), "aa").expect("no signal").is_none());
    }
}
