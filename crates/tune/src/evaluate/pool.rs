//! Work on all processors of this machine.

use std::sync::Mutex;

/// Number of threads.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The results of a function of some items, in their order, computed on all processors of this machine.
pub(crate) fn parallel<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(items.iter().enumerate());
    let found = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads().min(items.len()) {
            scope.spawn(|| {
                while let Some((at, item)) = next.lock().ok().and_then(|mut next| next.next()) {
                    let result = of(item);
                    if let Ok(mut found) = found.lock() {
                        found.push((at, result));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}
