//! The integrity slug: the id by which SillyTavern's server tells one chat from another.

/// A slug as SillyTavern's page makes it: a random UUID, of sixteen random bytes.
pub fn slug(mut random: [u8; 16]) -> String {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    #[test]
    fn looks_like_a_random_uuid() {
        assert_eq!(super::slug([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(super::slug([0; 16]), "00000000-0000-4000-8000-000000000000");
    }
}
