// The versions of SillyTavern that Lorefork was tried with: the browser tests run each of them, and docs/compatibility.md
// says how much of it. This is the list that they go by.

export const TRIED = ['1.16', '1.17', '1.18', '1.19'];

export const NEWEST_TRIED = TRIED[TRIED.length - 1];

/**
 * Whether a version is newer than all of them. One that nobody can read is not.
 * @param {string} version such as `1.20.0`
 */
export function isNewer(version) {
    const [major, minor] = version.split('.').map(Number);
    const [triedMajor, triedMinor] = NEWEST_TRIED.split('.').map(Number);
    return major > triedMajor || (major === triedMajor && minor > triedMinor);
}
