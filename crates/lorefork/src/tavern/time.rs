//! Time as SillyTavern writes it into names.

use super::version::Version;

/// The time on the user's clock. Whoever has a clock and a time zone fills it
/// in; the engine has neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Such as 2026.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
    /// From 0 to 23.
    pub hour: u8,
    /// From 0 to 59.
    pub minute: u8,
    /// From 0 to 59.
    pub second: u8,
    /// From 0 to 999.
    pub millisecond: u16,
}

impl LocalTime {
    /// As it stands in chat names: `2026-11-15@19h03m11s`, and since
    /// milliseconds came (after 1.14) `2026-11-15@19h03m11s322ms`.
    pub(crate) fn in_names(&self, version: Version) -> String {
        let Self { year, month, day, hour, minute, second, millisecond } = self;
        let mut text = format!("{year:02}-{month:02}-{day:02}@{hour:02}h{minute:02}m{second:02}s");
        if version >= Version::new(1, 15, 0) {
            text.push_str(&format!("{millisecond:03}ms"));
        }
        text
    }
}

/// Milliseconds since 1970 as `2026-11-15T19:03:11.322Z`, the way JavaScript writes dates down.
pub fn iso(ms: u64) -> String {
    let (days, rest) = (ms / 86_400_000, ms % 86_400_000);
    // Counted in years that begin in March, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, millisecond) = (rest / 1000 % 60, rest % 1000);
    // Years of more than four digits have six and a sign.
    let year = if year > 9999 { format!("+{year:06}") } else { format!("{year:04}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

/// `2026-11-15T19:03:11.322Z` as milliseconds since 1970; `None` for any other way to write a date.
pub(crate) fn from_iso(text: &str) -> Option<f64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (year, month, day) = three(date, '-')?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let (hour, minute, second) = three(clock, ':')?;
    let millis = format!("{:0<3}", fraction.get(..fraction.len().min(3))?).parse::<u64>().ok()?;
    let is_date = (1970..=LAST_YEAR).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour <= 24
        && minute < 60
        && second < 60;
    if !is_date {
        return None;
    }
    // The reverse of the above: years begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * month + 2) / 5 + day - 1;
    let days = (era * 146_097 + day_of_era).checked_sub(719_468)?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some((seconds * 1000 + millis) as f64)
}

/// Of a date in JavaScript.
const LAST_YEAR: u64 = 275_760;

fn three(text: &str, between: char) -> Option<(u64, u64, u64)> {
    let mut parts = text.split(between).map(|part| part.parse::<u64>().ok());
    let three = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_javascript_writes_them() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(iso(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(iso(1_794_769_391_322), "2026-11-15T19:03:11.322Z");
        assert_eq!(iso(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        assert_eq!(iso(253_402_300_800_000), "+010000-01-01T00:00:00.000Z");
        assert_eq!(iso(8_640_000_000_000_000), "+275760-09-13T00:00:00.000Z");
        assert!(iso(u64::MAX).starts_with("+584556019-"));
    }

    #[test]
    fn dates_are_read_back() {
        for ms in [
            0,
            951_782_399_999,
            951_782_400_000,
            1_794_769_391_322,
            4_107_542_400_000,
            8_640_000_000_000_000,
        ] {
            assert_eq!(from_iso(&iso(ms)), Some(ms as f64));
        }
        assert_eq!(from_iso("2026-11-15T19:03:11Z"), Some(1_794_769_391_000.0));
        for other in [
            "November 15, 2026 7:03pm",
            "2026-11-15@19h03m11s",
            "",
            "TZ",
            "é-1-1T1:1:1.éZ",
            "18446744073709551615-01-01T00:00:00.000Z",
            "2026-01-01T18446744073709551615:00:00.000Z",
            "-000001-01-01T00:00:00.000Z",
        ] {
            assert_eq!(from_iso(other), None, "{other}");
        }
    }

    #[test]
    fn spelled_as_the_version_spells_it() {
        let time = LocalTime {
            year: 2026,
            month: 1,
            day: 5,
            hour: 9,
            minute: 3,
            second: 11,
            millisecond: 22,
        };
        assert_eq!(time.in_names(Version::new(1, 14, 0)), "2026-01-05@09h03m11s");
        assert_eq!(time.in_names(Version::new(1, 16, 0)), "2026-01-05@09h03m11s022ms");
    }
}
