// Random texts, the same on every run.

/** Numbers from 0 up to 1, from a seed. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        // A linear congruential generator. Its low bits are poor: use the high.
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

export function generator(seed) {
    const next = random(seed);
    const below = n => Math.floor(next() * n);
    const pick = list => list[below(list.length)];
    const repeat = (n, make) => Array.from({ length: n }, make).join('');

    const characters = [
        () => String.fromCharCode(0x20 + below(0x5f)),
        () => String.fromCharCode(below(0x20)),
        () => String.fromCharCode(0x7f + below(0x22)),
        () => pick(['/', '?', '<', '>', '\\', ':', '*', '|', '"']),
        () => pick(['.', ' ', '..', '. ', ' .', '...']),
        () => pick(['é', 'ß', 'İ', 'ſ', '\u212a', 'ı', 'e\u0301', 'Σ']),
        () => String.fromCharCode(0x4e00 + below(0x2000)),
        () => String.fromCodePoint(0x1f600 + below(0x40)),
        () => pick(['👩‍🚀', '❤️', '🇯🇵', '5️⃣']),
        () => pick(['\u2028', '\u2029', '\u200b', '\u200d', '\ufeff', '\u0085', '\u00a0', '\u3000', '\u202e']),
        () => String.fromCharCode(0xd800 + below(0x800)),
        () => String.fromCharCode(below(0x10000)),
    ];
    const character = () => pick(characters)();
    const text = most => repeat(below(most + 1), character);
    return { next, below, pick, repeat, character, text };
}
