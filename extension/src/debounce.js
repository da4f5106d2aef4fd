// One run for many callers.

/**
 * Puts `act` off until nobody has called for a while. Whoever called meanwhile gets the answer of that one run,
 * so nobody waits for good.
 * @template T
 * @param {number} pause in milliseconds
 * @param {() => Promise<T>} act
 */
export function debounced(pause, act) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {{ resolve: (value: T) => void, reject: (reason: unknown) => void }[]} */
    let waiting = [];
    const run = () => {
        const callers = waiting;
        waiting = [];
        act().then(
            (value) => callers.forEach(({ resolve }) => resolve(value)),
            (error) => callers.forEach(({ reject }) => reject(error)),
        );
    };
    return () => new Promise((/** @type {(value: T) => void} */ resolve, reject) => {
        waiting.push({ resolve, reject });
        clearTimeout(timer);
        timer = setTimeout(run, pause);
    });
}
