//! The clock of this machine.

use std::time::SystemTime;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use lorefork::host::Now;
use lorefork::tavern::time::LocalTime;

/// The time on the wall here.
pub(crate) fn zoned() -> Zoned {
    at(SystemTime::now())
}

/// A clock that is set wrong keeps nobody from anything: before and behind all dates that can be
/// written, it is the first or the last of them.
fn at(time: SystemTime) -> Zoned {
    let end = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(end).to_zoned(TimeZone::system())
}

/// The time, as the engine needs it. It knows none before 1970.
pub(crate) fn now() -> Now {
    let now = zoned();
    let now = if now.timestamp() < Timestamp::UNIX_EPOCH {
        Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC)
    } else {
        now
    };
    let small = |number: i8| u8::try_from(number).unwrap_or_default();
    let local = LocalTime {
        year: u16::try_from(now.year()).unwrap_or_default(),
        month: small(now.month()),
        day: small(now.day()),
        hour: small(now.hour()),
        minute: small(now.minute()),
        second: small(now.second()),
        millisecond: u16::try_from(now.millisecond()).unwrap_or_default(),
    };
    Now { ms: u64::try_from(now.timestamp().as_millisecond()).unwrap_or_default(), local }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_is_set_wrong_is_no_panic() {
        let epoch = SystemTime::UNIX_EPOCH;
        let days = |days: u64| Duration::from_secs(days * 86_400);
        assert_eq!(at(epoch + days(20_000)).year(), 2024);
        // The year 10000, and as far as the system's own time goes.
        assert_eq!(at(epoch + days(2_932_897)).year(), 9999);
        assert_eq!(at(epoch - days(10_000)).year(), 1942);
        // Windows begins in 1601, and ends before this.
        let far = days(10_u64.pow(9));
        assert!(epoch.checked_add(far).is_none_or(|time| at(time).year() == 9999));
        assert!(epoch.checked_sub(far).is_none_or(|time| at(time).year() == -9999));
    }
}
