//! Progress bars for what takes longer than a moment.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// How long nothing is shown.
const MOMENT: Duration = Duration::from_millis(500);

/// A bar on standard error, if that is a terminal, after a moment; gone when dropped.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: bool,
}

impl Progress {
    /// Progress through `total` bytes, if that is known.
    pub fn of_bytes(activity: &str, total: Option<u64>) -> Self {
        let shown = match total {
            Some(_) => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{spinner} {bytes} {bytes_per_sec}",
        };
        Self::new(activity, shown, total)
    }

    /// Progress through `total` things.
    pub fn of_things(activity: &str, total: u64) -> Self {
        Self::new(activity, "{wide_bar} {pos}/{len} {eta}", Some(total))
    }

    fn new(activity: &str, shown: &str, total: Option<u64>) -> Self {
        let style = ProgressStyle::with_template(&format!("{activity} {shown}"))
            .expect("the templates above are valid");
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        Self { bar: bar.with_style(style), start: Instant::now(), shown: false }
    }

    /// `more` have been done.
    pub fn advance(&mut self, more: u64) {
        self.bar.inc(more);
        if !self.shown && self.start.elapsed() >= MOMENT {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
