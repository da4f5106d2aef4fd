// The versions of SillyTavern that Lorefork was tried with: the browser tests run each of them, and docs/compatibility.md
// says how much of it. This is the list that they go by.

export const TRIED = ['1.16', '1.17', '1.18', '1.19'];

export const NEWEST_TRIED = TRIED[TRIED.length - 1];
export const OLDEST_TRIED = TRIED[0];

/**
 * Whether a version is newer than all of them. One that nobody can read is not.
 * @param {string} version such as `1.20.0`
 */
export const isNewer = (version) => isBefore(NEWEST_TRIED, version);

/**
 * Whether it is older than all of them.
 * @param {string} version
 */
export const isOlder = (version) => isBefore(version, OLDEST_TRIED);

/**
 * Of the first two numbers; what is none is before and behind nothing.
 * @param {string} one
 * @param {string} other
 */
function isBefore(one, other) {
    const [[major, minor], [otherMajor, otherMinor]] = [one, other].map((version) => version.split('.').map(Number));
    return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
